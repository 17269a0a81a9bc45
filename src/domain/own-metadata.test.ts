import { expect, it } from "vitest";

import { aSession } from "../../test/support/builders.ts";
import { annotations, labels } from "../api/v1alpha1/names.ts";
import { keepOwnMetadata } from "./own-metadata.ts";

const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Run", name: "r", uid: "u1" };

it("keeps of labels and annotations our own, and nothing that people can add without a limit", () => {
  const { metadata } = keepOwnMetadata(
    aSession({
      metadata: {
        uid: "s1",
        labels: { [labels.runUid]: "u1", "example.com/of-others": "x".repeat(63) },
        annotations: { [annotations.traceparent]: "00-1-1-01", "example.com/note": "x".repeat(250_000) },
        finalizers: ["example.com/held"],
        generateName: "x".repeat(1_000),
        ownerReferences: [owner],
      },
    }),
  );
  expect(metadata).toMatchObject({
    uid: "s1",
    labels: { [labels.runUid]: "u1" },
    annotations: { [annotations.traceparent]: "00-1-1-01" },
    ownerReferences: [owner],
  });
  expect(JSON.stringify(metadata)).not.toContain("example.com");
  expect(JSON.stringify(metadata).length).toBeLessThan(1_000);
});

it.each([8_191, 8_192, 8_193])("keeps 8,192 of the %i characters of an annotation", (length) => {
  const given = { [annotations.skipped]: "x".repeat(length) };
  const { metadata } = keepOwnMetadata(aSession({ metadata: { annotations: given } }));
  expect(metadata.annotations?.[annotations.skipped]?.length).toBe(Math.min(length, 8_192));
});

it("keeps 16 references to owners, and of each 512 characters a field", () => {
  const ownerReferences = Array.from({ length: 17 }, (_, index) => ({ ...owner, name: `${"x".repeat(600)}${index}` }));
  const { metadata } = keepOwnMetadata(aSession({ metadata: { ownerReferences } }));
  expect(metadata.ownerReferences?.map(({ name }) => name.length)).toEqual(Array(16).fill(512));
});

it("leaves metadata without any of that as it is, and may be repeated", () => {
  const session = aSession({ metadata: { name: "s", namespace: "demo", uid: "s1", resourceVersion: "1" } });
  const before = structuredClone(session);
  expect(keepOwnMetadata(keepOwnMetadata(session))).toEqual(before);
});
