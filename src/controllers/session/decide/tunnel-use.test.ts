import { expect, it } from "vitest";

import { aSession } from "../../../../test/support/builders.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import { firstStep, type GivenFacts } from "../fake-steps.ts";

const minute = 60_000;
const startMs = Date.parse("2026-05-04T10:00:00.000Z");
const limits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 120 * minute };
const time = (ms: number): string => new Date(startMs + ms).toISOString();
const sandbox: Sandbox = {
  attempt: 1,
  podName: "fix-x-1",
  podUID: "u1",
  createTime: time(0),
  containerStartTime: time(0),
  readyTime: time(0),
};
const pods: GivenFacts["pods"] = [
  { name: "fix-x-1", uid: "u1", resourceVersion: "7", attempt: 1, isStarted: true, isTerminating: false },
];

/** What becomes of a session that is idle since the start, has 10 minutes of that, and was used through a tunnel. */
function after(tunnelMs: number | undefined, atMs: number, lifetimeMs = 600 * minute) {
  const session = aSession({
    spec: { idleTimeoutSeconds: 600 },
    status: { executionTimeoutMs: 45 * minute, lifetimeMs, promptsEnded: 1, sandbox, idleSince: time(0) },
  });
  const lease = { isReady: true, ...(tunnelMs !== undefined && { tunnelTime: time(tunnelMs) }) };
  const given: GivenFacts = { session, prompts: [], pods, secrets: [], isSilent: false, children: [], lease };
  const found = firstStep(given, new Date(startMs + atMs), limits);
  const status = found.kind === "writeStatus" ? found.status : session.status;
  return { idleSince: status?.idleSince, isSaving: status?.sandbox?.snapshotTime !== undefined };
}

it.each([
  { name: "is saved after 10 minutes", tunnelMs: undefined, atMs: 10 * minute, want: { isSaving: true } },
  { name: "is idle since its use", tunnelMs: 6 * minute, atMs: 10 * minute, want: { idleSince: time(6 * minute) } },
  {
    name: "stays until 10 minutes have passed since",
    tunnelMs: 6 * minute,
    atMs: 16 * minute - 1,
    want: { isSaving: false },
  },
  { name: "is saved then", tunnelMs: 6 * minute, atMs: 16 * minute, want: { isSaving: true } },
  {
    name: "that was used before the prompt's end is idle since that",
    tunnelMs: -1,
    atMs: minute,
    want: { idleSince: time(0) },
  },
  {
    name: "of a gateway whose clock is ahead is idle since now",
    tunnelMs: 9 * minute,
    atMs: 5 * minute,
    want: { idleSince: time(5 * minute) },
  },
])("a sandbox $name", ({ tunnelMs, atMs, want }) => {
  expect(after(tunnelMs, atMs)).toMatchObject(want);
});

it("its lifetime ends it all the same", () => {
  expect(after(99 * minute, 100 * minute, 110 * minute).isSaving).toBe(true);
});
