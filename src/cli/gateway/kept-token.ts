import type { Invocation } from "../command.ts";
import type { GatewayTarget } from "./gateway-target.ts";
import { gatewayToken } from "./gateway-token.ts";

/** Shorter than the lifetime of the tokens that the plugin requests. */
const tokenAgeMs = 300_000;

/** A token for commands that run on: requested again once it is 5 minutes old, and after a request that failed. */
export function keptToken(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  target: GatewayTarget,
): () => Promise<string> {
  let known: { token: Promise<string>; atMs: number } | undefined;
  return () => {
    const atMs = clock.monotonicMs();
    if (known && atMs - known.atMs <= tokenAgeMs) return known.token;
    const asked = { token: gatewayToken(cluster(), target), atMs };
    known = asked;
    asked.token.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.token;
  };
}
