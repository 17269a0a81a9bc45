import type { Clock } from "./clock.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Failures that an address may have at once, and in a second from then on. */
const limits = { burst: 256, perSecond: 4 };
/** Addresses that are remembered; the one that was heard of first is forgotten beyond. */
const mostAddresses = 4_096;

interface Remembered {
  bucket: TokenBucket;
  /** Until when its connections are refused, by the monotonic clock. */
  untilMs: number;
}

/** Slows addresses down whose attempts to prove who they are fail again and again. */
export class Slowdown {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #addresses = new Map<string, Remembered>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  failed(address: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#addresses.get(address) ?? { bucket: new TokenBucket(), untilMs: nowMs };
    known.untilMs = nowMs + known.bucket.take(limits, nowMs);
    this.#addresses.set(address, known);
    if (this.#addresses.size > mostAddresses) this.#forget(nowMs);
  }

  /** Whether connections of the address are refused now. */
  isSlowed(address: string): boolean {
    return this.#clock.monotonicMs() < (this.#addresses.get(address)?.untilMs ?? 0);
  }

  #forget(nowMs: number): void {
    for (const [address, { bucket }] of this.#addresses) {
      if (bucket.isIdle(limits, nowMs)) this.#addresses.delete(address);
    }
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > mostAddresses && oldest !== undefined) this.#addresses.delete(oldest);
  }
}
