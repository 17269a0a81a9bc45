import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** Slack takes one message of an app a second in a channel. */
const pauseMs = 1_100;
/** Channels that are remembered; old ones make room. */
const mostChannels = 10_000;

/** Spaces the messages of an app in each channel. */
export class Pace {
  readonly #clock: Pick<Clock, "monotonicMs" | "setTimeout">;
  /** Monotonic milliseconds at which a channel takes the next message. */
  readonly #free = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonicMs" | "setTimeout">) {
    this.#clock = clock;
  }

  /** Waits until it is the caller's turn in a channel. */
  async turn(channel: string): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const turnMs = Math.max(nowMs, this.#free.get(channel) ?? 0);
    this.#free.delete(channel);
    this.#free.set(channel, turnMs + pauseMs);
    const [oldest] = this.#free.keys();
    if (this.#free.size > mostChannels && oldest !== undefined) this.#free.delete(oldest);
    if (turnMs > nowMs) await sleep(this.#clock, turnMs - nowMs);
  }
}
