import { expect, it } from "vitest";

import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { annotations, bundleDataKey } from "../../../api/v1alpha1/names.ts";
import { decided } from "../fake-steps.ts";

const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}`;

it.each([
  [`${trace}-01`, `${trace}-01`],
  [`${trace}-03`, `${trace}-01`],
  ["$(reboot)", undefined],
  [undefined, undefined],
])("a session's trace %s is in its bundle as %s", (annotation, want) => {
  const noted = annotation === undefined ? {} : { annotations: { [annotations.traceparent]: annotation } };
  const session = aSession({ metadata: { uid: "s1", ...noted } });
  const given = { session, prompts: [aPrompt()], pods: [], secrets: [], isSilent: false, children: [] };
  const limits = { bootTimeoutMs: 1_800_000, executionTimeoutMs: 7_200_000 };
  const { effects } = decided(given, new Date("2026-05-04T10:00:00Z"), limits);
  const made = effects.flatMap((effect) => (effect.kind === "createBundle" ? [effect.secret] : []));
  const bundles = made.map(
    ({ data }) => JSON.parse(Buffer.from(data?.[bundleDataKey] ?? "", "base64").toString()) as object,
  );
  expect(bundles).toEqual([expect.objectContaining({ version: 1, ...(want && { traceparent: want }) })]);
  if (want === undefined) expect(bundles[0]).not.toHaveProperty("traceparent");
});
