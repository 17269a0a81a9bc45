import type { Integration } from "../../api/v1alpha1/index.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** Slack takes one message of an app a second in a channel. */
const pauseMs = 1_100;
/** Channels that are remembered; old ones make room. */
const mostChannels = 10_000;

/** Spaces the messages of each Integration in each channel: whoever signs an event names any channel in it. */
export class Pace {
  readonly #clock: Pick<Clock, "monotonicMs" | "setTimeout">;
  /** Monotonic milliseconds at which a channel takes the next message of an Integration. */
  readonly #free = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonicMs" | "setTimeout">) {
    this.#clock = clock;
  }

  /** Waits until it is an Integration's turn in a channel. */
  async turn({ metadata: { uid = "" } }: Integration, channel: string): Promise<void> {
    const place = `${uid} ${channel}`;
    const nowMs = this.#clock.monotonicMs();
    const turnMs = Math.max(nowMs, this.#free.get(place) ?? 0);
    this.#free.delete(place);
    this.#free.set(place, turnMs + pauseMs);
    const [oldest] = this.#free.keys();
    if (this.#free.size > mostChannels && oldest !== undefined) this.#free.delete(oldest);
    if (turnMs > nowMs) await sleep(this.#clock, turnMs - nowMs);
  }
}
