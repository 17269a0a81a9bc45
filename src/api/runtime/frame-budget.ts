export interface FrameRate {
  /** Frames at once. */
  burst: number;
  /** Frames in the long run. */
  perSecond: number;
}

/** Token bucket for frames. Both ends have one, so that an honest runtime never exceeds the gateway's. */
export class FrameBudget {
  readonly #rate: FrameRate;
  #left: number;
  #filledMs: number;

  /** `nowMs` is monotonic, here and in {@link take}. */
  constructor(rate: FrameRate, nowMs: number) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#filledMs = nowMs;
  }

  /** Takes a frame, or a part of one, from the budget; false when it is used up. */
  take(nowMs: number, frames = 1): boolean {
    this.#fill(nowMs);
    if (this.#left < frames) return false;
    this.#left -= frames;
    return true;
  }

  /** Whole milliseconds until so many are left, if none is taken; 0 where they are. */
  msUntil(nowMs: number, frames: number): number {
    this.#fill(nowMs);
    return Math.max(0, Math.ceil(((frames - this.#left) / this.#rate.perSecond) * 1000));
  }

  #fill(nowMs: number): void {
    const gained = ((nowMs - this.#filledMs) / 1000) * this.#rate.perSecond;
    this.#left = Math.min(this.#rate.burst, this.#left + gained);
    this.#filledMs = nowMs;
  }
}
