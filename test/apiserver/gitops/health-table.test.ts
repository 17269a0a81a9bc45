import { beforeAll, expect, it } from "vitest";

import { progressOnStderr } from "../../../hack/lib/progress.ts";
import { ensureHealth } from "../../../hack/toolchain/health.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { judge, type Verdicts } from "./judge.ts";

beforeAll(() => ensureHealth(progressOnStderr("health")), 900_000);

const waiting: Verdicts = ["InProgress", "Progressing", "InProgress"];
const well: Verdicts = ["Current", "Healthy", "Current"];
const failed: Verdicts = ["Failed", "Degraded", "Failed"];

type States = Record<string, "True" | "False" | "Unknown">;

/** An object at generation 2 with these conditions. */
function seen(kind: string, states: States, observedGeneration = 2): KubeObject {
  const rest = { reason: "Known", message: "Words", lastTransitionTime: "2026-05-04T10:15:00Z" };
  const conditions = Object.entries(states).map(([type, status]) => ({ type, status, ...rest }));
  const metadata = { name: "a", namespace: "shop", generation: 2 };
  return {
    apiVersion: "runwright.dev/v1alpha1",
    kind,
    metadata,
    status: { observedGeneration, conditions },
  } as KubeObject;
}

const longLived = [
  "Automation",
  "Environment",
  "Integration",
  "PrebuiltImage",
  "Repository",
  "SandboxClass",
  "SandboxPool",
  "Session",
  "Skill",
];
const oneShot = ["Prompt", "Run"];

it.each([
  { kinds: longLived, states: { Ready: "True" }, want: well },
  { kinds: longLived, states: { Ready: "False", Stalled: "True" }, want: failed },
  { kinds: longLived, states: { Ready: "True", Stalled: "True" }, want: failed },
  { kinds: longLived, states: { Ready: "False" }, want: waiting },
  { kinds: longLived, states: { Ready: "True", Reconciling: "True" }, want: waiting },
  { kinds: oneShot, states: { Succeeded: "True" }, want: well },
  { kinds: oneShot, states: { Succeeded: "False", Stalled: "True" }, want: failed },
  { kinds: oneShot, states: { Succeeded: "Unknown", Reconciling: "True" }, want: waiting },
] as { kinds: string[]; states: States; want: Verdicts }[])(
  "$states of $kinds is $want",
  async ({ kinds, states, want }) => {
    expect(await judge(kinds.map((kind) => seen(kind, states)))).toEqual(kinds.map(() => want));
  },
);

it.each([
  { kinds: longLived, states: { Ready: "True" } },
  { kinds: longLived, states: { Ready: "False", Stalled: "True" } },
  { kinds: oneShot, states: { Succeeded: "True" } },
  { kinds: oneShot, states: { Succeeded: "False", Stalled: "True" } },
] as { kinds: string[]; states: States }[])(
  "$states of an earlier generation says nothing",
  async ({ kinds, states }) => {
    expect(await judge(kinds.map((kind) => seen(kind, states, 1)))).toEqual(kinds.map(() => waiting));
  },
);
