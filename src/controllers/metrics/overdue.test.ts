import { expect, it } from "vitest";

import type { Run } from "../../api/v1alpha1/run.ts";
import { countOverdue, overdueAfterMs } from "./state-counts.ts";

const now = new Date("2026-05-04T12:00:00.000Z");
const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();

function aRun(status: object): Run {
  // Conditions and the deadline alone are read.
  return { metadata: { name: "r" }, spec: {}, status } as Run;
}

const deadline = (ms: number): object => ({ nextDeadline: { time: at(ms), reason: "ExecutionTimeout" } });
const ended = {
  conditions: [{ type: "Succeeded", status: "False", reason: "Failed", message: "", lastTransitionTime: at(0) }],
};

it.each([
  { name: "a deadline to come", status: deadline(1), want: 0 },
  { name: "a deadline that passed a moment ago", status: deadline(-overdueAfterMs + 1), want: 0 },
  { name: "a deadline that passed a minute ago", status: deadline(-overdueAfterMs), want: 1 },
  { name: "no deadline", status: {}, want: 0 },
  { name: "an end", status: { ...deadline(-overdueAfterMs), ...ended }, want: 0 },
])("counts a Run with $name as $want", ({ status, want }) => {
  expect(countOverdue([aRun(status)], now)).toBe(want);
});
