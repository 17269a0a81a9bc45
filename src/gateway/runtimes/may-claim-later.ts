import type { RuntimeMessage } from "../../api/runtime/messages.ts";

type Hello = Extract<RuntimeMessage, { type: "hello" }>;

/** How young a runtime's first connection has to be to be noted later, in milliseconds: far below the connect watchdog's limit. */
const youngMs = 60_000;

/** Whether the controller may hear of this connection later (ADR 0076). It gives a sandbox from a pool only seconds. */
export function mayClaimLater(
  { connection, runningMs }: Pick<Hello, "connection" | "runningMs">,
  { isFromPool }: { isFromPool: boolean },
): boolean {
  return !isFromPool && connection === 1 && runningMs !== undefined && runningMs <= youngMs;
}
