import { expect, it } from "vitest";
import type { SandboxClass, Session } from "../../api/v1alpha1/index.ts";
import { fullestClass, queuedSessions } from "./state-counts.ts";

function aClass(name: string, maxSandboxes: number): SandboxClass {
  return { metadata: { name }, spec: { maxSandboxes } as SandboxClass["spec"] };
}

it.each([
  { what: "no class", classes: [], want: 0 },
  { what: "one that is empty", classes: [aClass("none", 10)], want: 0 },
  { what: "the fuller one of two", classes: [aClass("three", 10), aClass("four", 5)], want: 0.8 },
  { what: "one that is full", classes: [aClass("three", 3)], want: 1 },
  { what: "one that was made smaller", classes: [aClass("four", 2)], want: 2 },
  { what: "one that allows none", classes: [aClass("three", 10), aClass("none", 0)], want: 1 },
])("the fullest class of $what", ({ classes, want }) => {
  const taken: Record<string, number> = { none: 0, three: 3, four: 4 };
  expect(fullestClass(classes, (name) => taken[name] ?? NaN)).toBe(want);
});

it("counts the sessions that wait for a place, and no others", () => {
  const session = (reason?: string): Session => ({
    metadata: {},
    spec: {} as Session["spec"],
    status: {
      conditions: reason
        ? [{ type: "Ready", status: "False", reason, message: "", lastTransitionTime: "2026-05-04T10:00:00Z" }]
        : [],
    },
  });
  expect(queuedSessions([session(), session("Queued"), session("Starting"), session("Queued")])).toBe(2);
  expect(queuedSessions([])).toBe(0);
});
