import { protocolTimes } from "../../api/runtime/limits.ts";

const firstMs = 250;
/** All runtimes of a gateway that went away come back spread over this time. */
const spreadMs = 2_000;

/**
 * Milliseconds before the next attempt to connect, never more than 10 s: after `failures` failed ones in a row, or 0
 * when an established connection was lost. `random` is from 0 to 1.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  if (failures === 0) return spreadMs * random;
  const doubled = Math.min(firstMs * 2 ** (failures - 1), protocolTimes.reconnectMs);
  return doubled * (0.5 + random / 2);
}
