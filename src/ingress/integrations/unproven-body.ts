import type { IncomingMessage } from "node:http";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { Clock } from "../../lib/clock.ts";
import { mostDiscarded } from "../../lib/rest-of-body.ts";
import { sleep } from "../../lib/sleep.ts";
import type { UnprovenBytes } from "./unproven-bytes.ts";

/** The first bytes of a body cost nothing, so that usual events do not wait beside a flood of long ones. */
export const freeBytes = 65_536;
/** Milliseconds that a body waits for others; providers give up after 10 seconds. */
export const mostWaitMs = 5_000;

export interface UnprovenBodyOptions {
  unproven: UnprovenBytes;
  /** Whose bytes they may be. */
  key: string;
  clock: Pick<Clock, "setTimeout">;
}

/** A body whose signature is not known to be right: long ones are read at the pace of all that are not proven. */
export class UnprovenBody {
  readonly #options: UnprovenBodyOptions;
  #bytes = 0;
  #taken = 0;
  #leftMs = mostWaitMs;

  constructor(options: UnprovenBodyOptions) {
    this.#options = options;
  }

  /** Takes a piece; what it gives is fulfilled once the next may be read, and rejected where the body has waited too long. */
  add(bytes: number): Promise<void> | undefined {
    const { unproven, key } = this.#options;
    this.#bytes += bytes;
    const taken = Math.max(0, this.#bytes - freeBytes) - this.#taken;
    this.#taken += taken;
    const waitMs = taken === 0 ? 0 : unproven.take(key, taken);
    if (waitMs === 0) return undefined;
    const isTooLong = waitMs > this.#leftMs;
    return this.#wait(waitMs).then(() => {
      if (isTooLong) throw tooLong();
    });
  }

  /**
   * Reads the body by `read`. What is proven is given back; a refusal waits until the bytes that are discarded after it are paid, as its
   * sender would send the next one at once.
   */
  async prove(request: IncomingMessage, read: () => Promise<Buffer>): Promise<Buffer> {
    const { unproven, key } = this.#options;
    try {
      const body = await read();
      unproven.giveBack(key, this.#taken);
      return body;
    } catch (error) {
      const discarded = error instanceof Refusal ? mostDiscarded(request) : 0;
      const waitMs = discarded === 0 ? 0 : unproven.take(key, discarded);
      if (waitMs > 0) {
        request.pause();
        await this.#wait(waitMs);
        request.resume();
      }
      throw error;
    }
  }

  #wait(ms: number): Promise<void> {
    const waitMs = Math.min(ms, this.#leftMs);
    this.#leftMs -= waitMs;
    return sleep(this.#options.clock, waitMs);
  }
}

function tooLong(): Refusal {
  return new Refusal({
    code: "Unavailable",
    message: "The Integration gets more bytes without a right signature than are read; send it again",
    cause: "unproven-bytes",
    retryAfterSeconds: 2,
  });
}
