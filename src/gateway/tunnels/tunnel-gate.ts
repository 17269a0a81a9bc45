import type { IncomingMessage } from "node:http";
import type { Clock } from "../../lib/clock.ts";
import type { AttemptId } from "../attempts/attempt.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { withinBudget } from "../http/budget.ts";
import type { Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import type { TunnelPath } from "./tunnel-path.ts";

export interface GateDeps {
  clock: Clock;
  callers: Pick<Callers, "identify" | "authorize">;
  sessions: Pick<SessionView, "byName">;
  /** Milliseconds for all requests to the API server. */
  budgetMs: number;
}

/** A caller who may use the tunnel. */
export interface AdmittedToTunnel {
  target: AttemptId;
  /** Asks whether the caller still has the right; the end of the caller's token takes it from no open connection. @throws ApiError */
  askAgain: () => Promise<void>;
}

/** Authorizes the caller of a tunnel, and finds the sandbox. @throws ApiError */
export async function admitToTunnel(
  { clock, callers, sessions, budgetMs }: GateDeps,
  request: IncomingMessage,
  { namespace, session: name, port }: TunnelPath,
): Promise<AdmittedToTunnel> {
  if (request.headers["sec-fetch-site"] !== undefined) throw new ApiError("Forbidden", notForBrowsers);
  const access = { verb: "create", resource: "sessions", subresource: "tunnel", namespace, name };
  const caller = await withinBudget(clock, budgetMs, async (signal) => {
    const identified = await callers.identify(request, signal);
    await callers.authorize(identified, access, signal);
    return identified;
  });
  const session = sessions.byName({ namespace, name });
  if (!session) throw new ApiError("NotFound", "there is no such session");
  const { sandbox } = session.status ?? {};
  if (!sandbox || sandbox.endTime !== undefined) throw new ApiError("NotFound", "the session has no sandbox now");
  if (!sandbox.tunnels?.some((tunnel) => tunnel.port === port)) {
    throw new ApiError("NotFound", `port ${port} is none of the session's tunnelPorts`);
  }
  return {
    target: { sessionUid: session.metadata.uid ?? "", attempt: sandbox.attempt },
    askAgain: () => withinBudget(clock, budgetMs, (signal) => callers.authorize(caller, access, signal, "again")),
  };
}

/** Browsers must never show pages of a sandbox on the gateway's origin; a local forward has an origin of its own. */
const notForBrowsers =
  "a browser reaches a sandbox's port by kubectl runwright session tunnel, never under the gateway's own address";
