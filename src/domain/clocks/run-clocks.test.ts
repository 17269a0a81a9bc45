import { expect, it } from "vitest";
import { hasPassed, startDeadline, sweepDeadline } from "./index.ts";

const start = "2026-05-04T10:00:00.000Z";
const startMs = Date.parse(start);

it.each([
  ["start deadline", startDeadline(start), 6_000_000, "StartDeadlineExceeded"],
  ["sweep of a 2 h budget", sweepDeadline(start, 7_200_000), 13_200_000, "ExecutionTimeout"],
  ["sweep of a 1 ms budget", sweepDeadline(start, 1), 6_000_001, "ExecutionTimeout"],
])("%s passes at its instant", (_name, deadline, afterMs, reason) => {
  expect([-1, 0, 1].map((ms) => hasPassed(deadline, new Date(startMs + afterMs + ms)))).toEqual([false, true, true]);
  expect(deadline.reason).toBe(reason);
});
