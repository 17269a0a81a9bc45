import { protocolTimes } from "../../api/runtime/limits.ts";

const firstMs = 250;
/** Spreads the reconnects of all runtimes of a replica that stopped, in milliseconds. */
const spreadMs = 2_000;

/**
 * Milliseconds before the next attempt to connect, at most 10 s. `failures` counts failed attempts in a row; it is 0 after
 * the loss of a connection that had worked. `random` is from 0 to 1.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  if (failures === 0) return spreadMs * random;
  const doubled = Math.min(firstMs * 2 ** (failures - 1), protocolTimes.reconnectMs);
  return doubled * (0.5 + random / 2);
}
