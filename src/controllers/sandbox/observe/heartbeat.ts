import { heartbeatLimitMs } from "../../../domain/clocks/limits.ts";

/** Whether a sandbox that has been silent for so long is stale: exactly the limit is not yet too long. */
export function isStale(silentMs: number): boolean {
  return silentMs > heartbeatLimitMs;
}

/** Whole milliseconds after which {@link isStale} becomes true if nothing is heard; 0 when it is true. */
export function heartbeatLeftMs(silentMs: number): number {
  return isStale(silentMs) ? 0 : Math.floor(heartbeatLimitMs - silentMs) + 1;
}
