import type { Clock } from "../../../lib/clock.ts";
import { sleep } from "../../../lib/sleep.ts";

/** In milliseconds. */
export const silenceLimits = {
  /** An agent that has answered and is silent for so long has said its last words. */
  enough: 300,
  /** After its answer a turn lasts no longer, however much the agent goes on to say. */
  longestTurn: 3_000,
  /** What the agent says so soon after an answer is of that turn, so that no other one begins. */
  apart: 3_000,
  /** The next turn begins after this, even where the agent has not been silent since. */
  longestApart: 10_000,
} as const;

/**
 * When an agent has finished speaking. Its protocol does not say which prompt its words are about, and some agents say their
 * last words after their answer.
 */
export class Silence {
  readonly #clock: Clock;
  #heardMs = -Infinity;
  #answeredMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The agent says something. */
  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  /** The agent has answered a prompt. */
  answered(): void {
    this.#answeredMs = this.#clock.monotonicMs();
  }

  /** Waits for the last words of the turn that was answered. */
  async afterAnswer(signal: AbortSignal): Promise<void> {
    await this.#until(() => Math.min(this.#quietMs, this.#answeredMs + silenceLimits.longestTurn), signal);
  }

  /** Waits until another turn may begin. */
  async beforeNext(signal: AbortSignal): Promise<void> {
    const { apart, longestApart } = silenceLimits;
    await this.#until(
      () => Math.min(Math.max(this.#quietMs, this.#answeredMs + apart), this.#answeredMs + longestApart),
      signal,
    );
  }

  get #quietMs(): number {
    return Math.max(this.#heardMs, this.#answeredMs) + silenceLimits.enough;
  }

  /** Waits for an instant that may move while it waits. */
  async #until(instantMs: () => number, signal: AbortSignal): Promise<void> {
    const leftMs = (): number => instantMs() - this.#clock.monotonicMs();
    while (leftMs() > 0 && !signal.aborted) await sleep(this.#clock, leftMs(), signal);
  }
}
