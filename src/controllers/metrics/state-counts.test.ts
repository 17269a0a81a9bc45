import { expect, it } from "vitest";
import { aRun, aSandboxClass, aSession } from "../../../test/support/builders.ts";
import type { Run, Session } from "../../api/v1alpha1/index.ts";
import {
  countOverdue,
  fullestClass,
  fullNamespaces,
  overdueAfterMs,
  queuedSessions,
  unsavedSessions,
} from "./state-counts.ts";

const now = new Date("2026-05-04T12:00:00.000Z");
const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();

const deadline = (ms: number) => ({ nextDeadline: { time: at(ms), reason: "ExecutionTimeout" } });
const ended = {
  conditions: [
    { type: "Succeeded", status: "False" as const, reason: "Failed", message: "", lastTransitionTime: at(0) },
  ],
};

it.each<{ name: string; status: NonNullable<Run["status"]>; want: number }>([
  { name: "a deadline to come", status: deadline(1), want: 0 },
  { name: "a deadline that passed a moment ago", status: deadline(-overdueAfterMs + 1), want: 0 },
  { name: "a deadline that passed a minute ago", status: deadline(-overdueAfterMs), want: 1 },
  { name: "no deadline", status: {}, want: 0 },
  { name: "an end", status: { ...deadline(-overdueAfterMs), ...ended }, want: 0 },
])("counts a Run with $name as $want", ({ status, want }) => {
  expect(countOverdue([aRun({ status })], now)).toBe(want);
});

const classOf = (name: string, maxSandboxes: number) => aSandboxClass(name, { maxSandboxes });

it.each([
  { what: "no class", classes: [], want: 0 },
  { what: "one that is empty", classes: [classOf("none", 10)], want: 0 },
  { what: "the fuller one of two", classes: [classOf("three", 10), classOf("four", 5)], want: 0.8 },
  { what: "one that is full", classes: [classOf("three", 3)], want: 1 },
  { what: "one that was made smaller", classes: [classOf("four", 2)], want: 2 },
  { what: "one that allows none", classes: [classOf("three", 10), classOf("none", 0)], want: 1 },
])("the fullest class of $what", ({ classes, want }) => {
  const taken: Record<string, number> = { none: 0, three: 3, four: 4 };
  expect(fullestClass(classes, (name) => taken[name] ?? NaN)).toBe(want);
});

it.each([
  { pods: ["a/1", "a/2"], want: 0 },
  { pods: ["a/1", "a/2", "a/3"], want: 1 },
  { pods: ["a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "b/3", "c/1"], want: 2 },
])("of $pods $want namespaces have all 3 places that are not for children alone", ({ pods, want }) => {
  const classes = [aSandboxClass("four", { maxSandboxesPerNamespace: 4 }), aSandboxClass("open")];
  expect(fullNamespaces(classes, () => new Set(pods))).toBe(want);
});

it("counts the sessions that wait for a place, and no others", () => {
  const session = (reason?: string): Session => {
    const ready = { type: "Ready", status: "False" as const, message: "", lastTransitionTime: "2026-05-04T10:00:00Z" };
    return aSession({ status: { conditions: reason ? [{ ...ready, reason }] : [] } });
  };
  expect(queuedSessions([session(), session("Queued"), session("Starting"), session("Queued")])).toBe(2);
  expect(queuedSessions([])).toBe(0);
});

const up = { attempt: 1, podName: "p", createTime: at(0) };

it.each([
  { name: "is up and could not be saved", sandbox: up, status: "False" as const, want: 1 },
  { name: "has ended", sandbox: { ...up, endTime: at(1) }, status: "False" as const, want: 0 },
  { name: "was saved before", sandbox: up, status: "True" as const, want: 0 },
  { name: "was never to be saved", sandbox: up, status: undefined, want: 0 },
  { name: "there is none of", sandbox: undefined, status: "False" as const, want: 0 },
])("counts a session as $want whose sandbox $name", ({ sandbox, status, want }) => {
  const said = { type: "WorkspaceSaved", reason: "WorkspaceNotSaved", message: "", lastTransitionTime: at(0) };
  expect(unsavedSessions([aSession({ status: { sandbox, conditions: status && [{ ...said, status }] } })])).toBe(want);
});
