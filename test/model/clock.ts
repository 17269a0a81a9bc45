import { FakeClock } from "../../src/lib/fake-clock.ts";

/**
 * The time of one sequence, which only tests move. That of controllers goes on while the world is waited for, so that
 * backoffs end; that of an ingress stands still meanwhile, so that no machine is too slow for a delivery's deadlines.
 */
export class SequenceClock {
  /** Creation times are the API server's own, so the two must agree at first. */
  readonly controller = new FakeClock(new Date().toISOString());
  readonly ingress = new FakeClock(this.controller.now().toISOString());

  #waitEndsMs = Infinity;

  get nowMs(): number {
    return this.controller.now().getTime();
  }

  /** From now on time that goes on by itself ends before this instant. */
  waitUpTo(ms: number): void {
    this.#waitEndsMs = ms;
  }

  /** While the world is waited for time goes on by itself, for the controller; a little, or to what is next due there. */
  goOn(): void {
    const stepMs = 1_000;
    if (this.nowMs + stepMs < this.#waitEndsMs) this.controller.advanceToTimer(100);
  }

  /** Moves everybody's time on from the latest that anybody has; then all have the same. */
  advance(ms: number): void {
    const untilMs = Math.max(this.controller.monotonicMs(), this.ingress.monotonicMs()) + ms;
    for (const clock of [this.controller, this.ingress]) clock.advance(untilMs - clock.monotonicMs());
  }
}
