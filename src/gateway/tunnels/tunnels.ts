import type { AttemptId } from "../attempts/attempt.ts";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RawHeaders } from "../../lib/raw-headers.ts";
import { type Hop, relayRequest, relayUpgrade } from "../../lib/relay.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { withinBudget } from "../http/budget.ts";
import { ApiError, apiErrorOf } from "../http/errors.ts";
import { type AnsweredPort, headersForCaller, headersForReplica, headersForSandbox } from "./headers.ts";
import { type ConnectedRuntime, noStream, NoStreamError, portClosed, type Streams } from "../runtimes/streams.ts";
import { endWithAccess } from "./access-watch.ts";
import { admitToTunnel, type GateDeps } from "./tunnel-gate.ts";
import { parseTunnelPath, type TunnelPath } from "./tunnel-path.ts";

export interface TunnelDeps extends GateDeps {
  logger: Logger;
  streams: Pick<Streams, "open">;
  /** A connection to the replica that the attempt's runtime is connected to. */
  toReplica: (target: AttemptId, signal: AbortSignal) => Promise<Duplex | undefined>;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
  /** Lower-case names of request headers that sandboxes get beside the usual ones. */
  requestHeaders: readonly string[];
}

/** Milliseconds to find another replica. */
const replicaMs = 5_000;

/** Set on requests that a replica forwards, so that they are forwarded only once. */
const forwardedHeader = "runwright-forwarded";

/** Forwards HTTP and WebSocket to ports of sandboxes, through the replica that the runtime is connected to. */
export class Tunnels {
  readonly #deps: TunnelDeps;

  constructor(deps: TunnelDeps) {
    this.#deps = deps;
  }

  /** @throws ApiError */
  async request(path: TunnelPath, from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { hop, failure } = await this.#route(path, from, to);
    await relayRequest(from, to, hop).catch(failure);
  }

  /** Forwards a WebSocket; refuses all other upgrades. */
  async upgrade(from: IncomingMessage, near: Socket, head: Buffer): Promise<void> {
    const to = new ServerResponse(from);
    to.shouldKeepAlive = false;
    to.assignSocket(near);
    // A caller that does not close would keep one of its address's places.
    to.on("finish", () => near.destroySoon());
    try {
      const path = parseTunnelPath(from.url ?? "");
      if (!path) throw new ApiError("NotFound", "Not found");
      if (from.headers.upgrade?.toLowerCase() !== "websocket") {
        throw new ApiError("InvalidRequest", "Upgrade must be websocket");
      }
      const { hop, failure } = await this.#route(path, from, near);
      await relayUpgrade(from, { near, head, to }, hop).catch(failure);
    } catch (error) {
      const { status, code, message } = apiErrorOf(error);
      if (status >= 500) this.#deps.logger.warn({ err: error, code }, "Could not forward a WebSocket");
      to.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: message, code }));
    }
  }

  /** `near` is the caller's side, which ends when the caller loses the right. */
  async #route(path: TunnelPath, from: IncomingMessage, near: Socket | ServerResponse): Promise<Route> {
    const { clock, streams, runtime } = this.#deps;
    const { target, askAgain } = await admitToTunnel(this.#deps, from, path);
    // Nothing would end what is opened for a caller whose close has been told already.
    if (near.destroyed) throw new ApiError("InvalidRequest", "the caller has gone");
    endWithAccess(clock, near, askAgain);
    const connected = runtime(target);
    if (!connected) return this.#routeToReplica(target, from);
    const at: AnsweredPort = { ...path, host: from.headers.host ?? "" };
    const hop = {
      connection: await streams.open(connected, { port: path.port }),
      path: path.rest,
      headers: headersForSandbox(from.rawHeaders, at, this.#deps.requestHeaders),
      answerHeaders: (raw: RawHeaders) => headersForCaller(raw, at),
    };
    return { hop, failure: failingAs(portClosed(path.port)) };
  }

  /** The other replica authorizes the caller again, by the same token. */
  async #routeToReplica(target: AttemptId, from: IncomingMessage): Promise<Route> {
    const { clock, toReplica } = this.#deps;
    const isForwarded = from.headers[forwardedHeader] !== undefined;
    const connection = isForwarded
      ? undefined
      : await withinBudget(clock, replicaMs, (signal) => toReplica(target, signal));
    if (!connection) throw noStream("SandboxNotConnected");
    const hop = {
      connection,
      path: from.url ?? "",
      headers: [...headersForReplica(from.rawHeaders), forwardedHeader, "1"],
      answerHeaders: headersForReplica,
    };
    return { hop, failure: failingAs(noStream("SandboxNotConnected")) };
  }
}

/** The next hop of a request, and the error when it fails. */
interface Route {
  hop: Hop;
  failure: (error: unknown) => never;
}

function failingAs(known: NoStreamError): (error: unknown) => never {
  return (error) => {
    throw error instanceof NoStreamError ? error : known;
  };
}
