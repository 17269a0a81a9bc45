import type { Clock, Timer } from "../../lib/clock.ts";
import { askAccess } from "../http/access-watches.ts";

/** Milliseconds between two questions whether the caller may still use the tunnel. */
export const recheckMs = 300_000;
/** Milliseconds after a question that got no answer; of many at once each round leaves fewer. */
export const askAgainMs = 10_000;
/** Longest life of one connection through a tunnel, in milliseconds: 8 hours. */
export const longestTunnelMs = 28_800_000;

/** The caller's side of a tunnel: a socket or an answer. */
interface Closable {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

/**
 * Destroys the connection at the first refusal, or after 8 hours. `ask` rejects with an ApiError when the caller has lost the right; an
 * API server that does not answer is no refusal: it is asked again soon. Of a connection that has ended already nothing is asked.
 */
export function endWithAccess(clock: Clock, connection: Closable, ask: () => Promise<void>): void {
  if (connection.destroyed) return;
  let isOpen = true;
  const end = clock.setTimeout(() => connection.destroy(), longestTunnelMs);
  let next: Timer;
  const look = async (): Promise<void> => {
    const answer = await askAccess(ask);
    if (answer === "refused") connection.destroy();
    if (isOpen) arm(answer === "unknown" ? askAgainMs : recheckMs);
  };
  const arm = (afterMs: number): void => {
    next = clock.setTimeout(() => void look(), afterMs);
  };
  arm(recheckMs);
  connection.once("close", () => {
    isOpen = false;
    end.cancel();
    next.cancel();
  });
}
