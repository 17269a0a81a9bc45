import { FrameBudget, type FrameRate } from "../../api/runtime/frame-budget.ts";
import type { Clock } from "../../lib/clock.ts";
import { setNewest } from "../../lib/set-newest.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Requests of one session and path: far more than runtimes and agents make. */
const rate: FrameRate = { burst: 240, perSecond: 2 };
/** Whose rates are remembered; the least recent one is forgotten first, when its budget is full again. */
const mostRemembered = 10_000;

/** How many requests the sandboxes of each session make a minute; how many at once is bounded besides. */
export class SessionRate {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #budgets = new Map<string, FrameBudget>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Counts a request of a session to a path. @throws SandboxError `TooManyRequests` */
  take(sessionUid: string, path: string): void {
    if (!this.allows(sessionUid, path)) throw new SandboxError(429, "TooManyRequests", tooMany);
  }

  /** The same; whether it is within its rate. */
  allows(sessionUid: string, path: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const key = `${sessionUid}${path}`;
    const budget = this.#budgets.get(key) ?? new FrameBudget(rate, nowMs);
    setNewest(this.#budgets, key, budget, mostRemembered);
    return budget.take(nowMs);
  }
}

const tooMany = `the session makes more requests of this kind than ${60 * rate.perSecond} a minute after ${rate.burst} at once; wait a minute`;
