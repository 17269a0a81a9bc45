import type { IncomingMessage } from "node:http";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { Clock } from "../../lib/clock.ts";
import { mostDiscarded } from "../../lib/rest-of-body.ts";
import { sleep } from "../../lib/sleep.ts";
import type { BucketLimits } from "../../lib/token-bucket.ts";
import type { BytePace } from "../../lib/byte-pace.ts";

/** Bytes of one Integration: 32 MiB at once, which is more than the longest body has, and 8 MiB a second, which cost little of a core. */
export const unprovenPace: BucketLimits = { burst: 33_554_432, perSecond: 8_388_608 };
/** The first bytes of a body are not counted, so that usual events do not wait during a flood of long ones. */
const freeBytes = 65_536;
/** Milliseconds that one request waits at most; providers give up after 10 seconds. */
const mostWaitMs = 5_000;

export interface UnprovenBodyOptions {
  unproven: BytePace;
  /** Whose bytes they may be. */
  key: string;
  clock: Pick<Clock, "setTimeout">;
}

/** A body whose signature is not checked yet. The longer it is, the longer it waits while others of the same key are read. */
export class UnprovenBody {
  readonly #options: UnprovenBodyOptions;
  #bytes = 0;
  #taken = 0;
  #leftMs = mostWaitMs;

  constructor(options: UnprovenBodyOptions) {
    this.#options = options;
  }

  /** Counts a piece; the promise resolves once the next may be read, and rejects with a Refusal where the body has waited too long. */
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
   * Reads the body by `read`, and gives its bytes back where the signature was right. A refusal is held back for as long as the bytes cost
   * that are discarded after it: its sender would send the next body at once.
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
