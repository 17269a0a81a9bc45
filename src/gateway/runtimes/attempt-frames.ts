import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** What an honest runtime may send at once after its welcome: all that it repeats, a burst of events, and a few more beside these. */
export const framesOfWelcome = protocolLimits.unacknowledged + protocolLimits.events.burst + 32;

/**
 * Frames of one attempt's runtime, over all of its connections to this replica. A runtime repeats nothing before its welcome, so the
 * welcome waits until there is room for that: honest ones are never ended for connecting again, however often they do.
 */
export class AttemptFrames extends FrameBudget {
  /** `nowMs` is monotonic. */
  constructor(nowMs: number) {
    super(protocolLimits.frames, nowMs);
  }

  /** Waits until a runtime may be welcomed, ten seconds at most, or the signal ends. */
  async roomForRepeats(clock: Pick<Clock, "monotonicMs" | "setTimeout">, signal: AbortSignal): Promise<void> {
    const leftMs = (): number => this.msUntil(clock.monotonicMs(), framesOfWelcome);
    for (let waitMs = leftMs(); waitMs > 0 && !signal.aborted; waitMs = leftMs()) await sleep(clock, waitMs, signal);
  }
}
