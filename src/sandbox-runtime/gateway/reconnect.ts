import { protocolTimes } from "../../api/runtime/limits.ts";
import { backoffMs } from "../../kube/backoff.ts";

const limits = { baseMs: 250, maxMs: protocolTimes.reconnectMs };
/** Spreads the reconnects of all runtimes of a replica that stopped, in milliseconds. */
const spreadMs = 2_000;

/**
 * Milliseconds before the next attempt to connect, at most 10 s. `failures` counts failed attempts in a row; it is 0 after
 * the loss of a connection that had worked. `random` is from 0 to 1.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  return failures === 0 ? spreadMs * random : backoffMs(failures, limits, { fraction: () => random });
}
