import type { RuntimeMessage } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds between two reports. */
export const costReportMs = 250;

type UsageMessage = Extract<RuntimeMessage, { type: "usage" }>;

/** Reports the sandbox's cost to gateways that accept it: on each connection, and when it has changed, at most every 250 ms. */
export class CostReports {
  readonly #clock: Clock;
  #costUsd: number | undefined;
  #send: ((message: UsageMessage) => void) | undefined;
  #isDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Uses this connection; undefined: there is none that takes reports. */
  use(send: ((message: UsageMessage) => void) | undefined): void {
    this.#send = send;
    this.#report();
  }

  changed(costUsd: number): void {
    this.#costUsd = costUsd;
    if (this.#isDue) return;
    this.#isDue = true;
    this.#clock.setTimeout(() => {
      this.#isDue = false;
      this.#report();
    }, costReportMs);
  }

  #report(): void {
    if (this.#costUsd !== undefined) this.#send?.({ type: "usage", costUsd: this.#costUsd });
  }
}
