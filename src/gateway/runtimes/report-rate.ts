import { FrameBudget, type FrameRate } from "../../api/runtime/frame-budget.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** Reports of one attempt, such as ends of prompts: after a reconnect all that are not acknowledged come at once. */
export const reportRate: FrameRate = { burst: protocolLimits.unacknowledged, perSecond: 2 };

/** Has reports beyond a rate wait, as each costs reads of the API server, and may cost a write. None is lost. */
export class ReportRate {
  readonly #budget: FrameBudget;

  /** `nowMs` is monotonic. */
  constructor(nowMs: number) {
    this.#budget = new FrameBudget(reportRate, nowMs);
  }

  /** Waits until a report may be handled, or the signal ends. */
  async turn(clock: Pick<Clock, "monotonicMs" | "setTimeout">, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#budget.take(clock.monotonicMs())) {
      await sleep(clock, 1_000 / reportRate.perSecond, signal);
    }
  }
}
