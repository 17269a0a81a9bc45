import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { ImageFacts } from "../facts.ts";
import { withConditions } from "./conditions.ts";

const now = new Date("2026-05-04T10:00:00.000Z");

function factsOf(bounded: readonly string[]): ImageFacts {
  const found = { fingerprint: "sha256:f", classImage: "sandbox:1", repositories: ["web"], bounded };
  return { image: aPrebuiltImage("web"), scope: { found }, pods: [], secrets: [], isSilent: false };
}

it("says why the pod of a build does not start", () => {
  const facts = factsOf([]);
  const inputs = { fingerprint: "f", classImage: "i", timeoutSeconds: 1 };
  const build = { number: 3, step: "Building" as const, reason: "NewCommits" as const, ...inputs };
  const sandbox = { attempt: 3, podName: "p", podUID: "u", createTime: now.toISOString() };
  const pod = { name: "p", uid: "u", attempt: 3, isStarted: false, isTerminating: false };
  const message = "image i: ErrImagePull: no such host";
  const waiting = { reason: "ImagePullFailed" as const, message, isHopeless: false };
  const saidOf = (pods: ImageFacts["pods"]): object | undefined =>
    withConditions({ ...facts, pods }, { build, sandbox }, now).conditions?.find(({ type }) => type === "Reconciling");
  expect(saidOf([pod])).toMatchObject({ reason: "Building" });
  expect(saidOf([{ ...pod, attempt: 2, waiting }])).toMatchObject({ reason: "Building" });
  expect(saidOf([{ ...pod, waiting }])).toMatchObject({
    reason: "ImagePullFailed",
    message: `${message} (build 3, NewCommits)`,
  });
});

it("settings that the class bounds are a warning, for as long as it bounds them", () => {
  const warned = withConditions(factsOf(["one is above"]), {}, now);
  const type = "SettingsBounded";
  expect(warned.conditions?.find((one) => one.type === type)).toMatchObject({
    status: "True",
    reason: "SettingAboveLimit",
    message: "one is above",
  });
  const fixed = withConditions(factsOf([]), warned, now);
  expect(fixed.conditions?.map((one) => one.type)).toEqual(["Ready"]);
});
