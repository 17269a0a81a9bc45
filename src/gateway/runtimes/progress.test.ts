import { expect, it } from "vitest";

import { protocolLimits } from "../../api/runtime/limits.ts";
import { refusalRate } from "../attempts/agent-refusals.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ProgressOfAttempts } from "./progress.ts";
import { reportRate } from "./report-rate.ts";

const attempt = (number: number): Attempt => ({
  namespace: "shop",
  session: "upgrade",
  sessionUid: "u",
  attempt: number,
  name: `u-${number}`,
});

it("keeps across connections what an attempt has used up, and begins anew with the next attempt", () => {
  const progress = new ProgressOfAttempts();
  const report = { malformed: refusalRate.burst };
  expect(progress.of(attempt(1), 0).refusals.take(report, 0)).toHaveLength(refusalRate.burst);
  expect(progress.of(attempt(1), 0).refusals.take(report, 0)).toEqual([]);
  expect(progress.of(attempt(2), 0).refusals.take(report, 0)).toHaveLength(refusalRate.burst);
});

it("keeps across connections how many reports came", async () => {
  const [progress, clock, signal] = [new ProgressOfAttempts(), new FakeClock(), new AbortController().signal];
  const report = (of: number): Promise<void> =>
    progress.of(attempt(of), clock.monotonicMs()).reports.turn(clock, signal);
  for (let sent = 0; sent < reportRate.burst; sent += 1) await report(1);
  const late = report(1);
  expect(clock.timers).toBe(1);
  await report(2);
  clock.advance(500);
  await late;
  expect(clock.timers).toBe(0);
});

it("keeps across connections how many frames came", () => {
  const progress = new ProgressOfAttempts();
  const { burst } = protocolLimits.frames;
  expect(progress.of(attempt(1), 0).frames.take(0, burst)).toBe(true);
  expect(progress.of(attempt(1), 0).frames.take(0)).toBe(false);
  expect(progress.of(attempt(2), 0).frames.take(0, burst)).toBe(true);
});
