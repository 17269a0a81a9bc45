import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";

/** For an ingress time passes this much slower than for the machine, so that a busy one makes no deadline pass. */
const slowness = 8;

/**
 * The time of one sequence. Controllers have a clock that only tests move. An ingress answers real connections, so its
 * timers run by themselves, but what it calls now, and what it counts as old, moves along.
 */
export class SequenceClock {
  /** Creation times are the API server's own, so the two must agree at first. */
  readonly controller = new FakeClock(new Date().toISOString());
  readonly ingress: Clock = {
    now: () => this.controller.now(),
    monotonicMs: () => systemClock.monotonicMs() / slowness + this.controller.monotonicMs(),
    setTimeout: (run, delayMs) => systemClock.setTimeout(run, delayMs * slowness),
  };

  get nowMs(): number {
    return this.controller.now().getTime();
  }

  advance(ms: number): void {
    this.controller.advance(ms);
  }
}
