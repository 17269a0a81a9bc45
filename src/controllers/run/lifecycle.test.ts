import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executionTimeoutMs } from "../../domain/settings/execution-timeout.ts";
import { hasPassed, lookAfterMs, shownDeadline } from "../../domain/clocks/deadline.ts";
import { aRun } from "./fake-facts.ts";
import { endedStatus, skippedStatus, startDeadline, sweepDeadline } from "./lifecycle.ts";

const start = "2026-05-04T10:00:00.000Z";
const startMs = Date.parse(start);

function after(ms: number): Date {
  return new Date(startMs + ms);
}

it.each([
  ["start deadline", startDeadline(start), 6_000_000, "StartDeadlineExceeded"],
  ["sweep of a 2 h budget", sweepDeadline(start, 7_200_000), 13_200_000, "ExecutionTimeout"],
  ["sweep of a 1 ms budget", sweepDeadline(start, 1), 6_000_001, "ExecutionTimeout"],
])("%s passes at its instant", (_name, deadline, afterMs, reason) => {
  expect([-1, 0, 1].map((ms) => hasPassed(deadline, after(afterMs + ms)))).toEqual([false, true, true]);
  expect(deadline.reason).toBe(reason);
});

it.each([
  { scope: undefined, operator: 7_200_000, want: "13:40" },
  { scope: undefined, operator: 600_000, want: "11:50" },
  { scope: 2_700_000, operator: 7_200_000, want: "12:25" },
  { scope: 2_700_000, operator: 36_000_000, want: "12:25" },
  { scope: 14_400_000, operator: 600_000, want: "15:40" },
])("a Run of 10:00 with $scope of $operator ms is swept at $want", ({ scope, operator, want }) => {
  const scopes = scope === undefined ? [] : [{ sandboxTimeoutMs: scope }];
  const budgetMs = executionTimeoutMs({ settings: {}, executionTimeoutMs: operator }, scopes);
  expect(shownDeadline(sweepDeadline(start, budgetMs)).time).toBe(`2026-05-04T${want}:00.000Z`);
});

describe("a Run that ends", () => {
  const verdict = { succeeded: true, reason: "Completed", message: "" };
  const end = { outcomes: [], result: undefined };

  it("says how long it took from its start", () => {
    const run = { ...aRun(), status: { startTime: start } };
    expect(endedStatus(run, verdict, { ...end, now: after(14 * 60_000 + 59_000) }).took).toBe("14m");
  });

  it("says no duration where it never started", () => {
    expect(skippedStatus(aRun(), "AutomationPaused", "", after(0))).not.toHaveProperty("took");
  });
});

describe("at any instant", () => {
  const month = 2_592_000_000;
  const deadlines = fc.oneof(
    fc.constant(startDeadline(start)),
    fc.integer({ min: 1, max: month }).map((budgetMs) => sweepDeadline(start, budgetMs)),
  );
  const instants = fc.integer({ min: -month, max: 2 * month }).map(after);

  it("the waits that are armed then end at the very instant", () => {
    fc.assert(
      fc.property(deadlines, instants, (deadline, now) => {
        const waitMs = lookAfterMs(deadline.atMs, now);
        expect(waitMs > 0).toBe(!hasPassed(deadline, now));
        if (waitMs === 0) return;
        const woken = new Date(now.getTime() + waitMs);
        expect(woken.getTime()).toBe(Math.min(deadline.atMs, now.getTime() + 60_000));
        expect(hasPassed(deadline, woken)).toBe(woken.getTime() === deadline.atMs);
        expect(hasPassed(deadline, new Date(woken.getTime() - 1))).toBe(false);
      }),
    );
  });

  it("what is shown is what will happen", () => {
    fc.assert(
      fc.property(deadlines, (deadline) => {
        const { time, reason } = shownDeadline(deadline);
        expect([Date.parse(time), reason]).toEqual([deadline.atMs, deadline.reason]);
      }),
    );
  });
});

it("a longer budget is never swept earlier", () => {
  const budgets = fc.integer({ min: 1, max: 2_592_000_000 });
  fc.assert(
    fc.property(budgets, budgets, (one, other) => {
      const [shorter, longer] = [Math.min(one, other), Math.max(one, other)];
      expect(sweepDeadline(start, shorter).atMs).toBeLessThanOrEqual(sweepDeadline(start, longer).atMs);
    }),
  );
});
