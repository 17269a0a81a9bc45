import { once } from "node:events";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect as connectSecurely, type TLSSocket } from "node:tls";
import { createWebSocketStream, WebSocket } from "ws";
import { protocolLimits, streamLimits } from "../../api/runtime/limits.ts";
import type { GatewayMessage } from "../../api/runtime/messages.ts";
import { streamPath } from "../../api/runtime/pod-contract.ts";
import type { Clock } from "../../lib/clock.ts";
import { join } from "../../lib/join-streams.ts";
import type { RuntimeConfig } from "../config.ts";
import { readAccess } from "../gateway/ask-gateway.ts";
import { errorCode, type RuntimeLog } from "../log.ts";
import { connectLocally } from "./connect-locally.ts";

export type StreamOrder = Extract<GatewayMessage, { type: "openStream" }>;

export interface StreamDeps extends RuntimeConfig {
  log: RuntimeLog;
  clock: Pick<Clock, "setTimeout">;
}

/** Joins a port of this pod with a new connection to the gateway; TCP on both sides gives back-pressure. */
export async function joinPort(deps: StreamDeps, order: StreamOrder, port: number): Promise<void> {
  const local = await connectLocally(port, deps.clock);
  try {
    const socket = await dial(deps, order);
    if (local) join(local, createWebSocketStream(socket));
    else socket.close(streamLimits.portClosed);
  } catch (error) {
    deps.log.warn("Could not dial a stream", { port, code: errorCode(error) });
    local?.destroy();
  }
}

/** Dials the gateway for an ordered stream. */
export async function dialStream(deps: StreamDeps, order: StreamOrder): Promise<Duplex> {
  return createWebSocketStream(await dial(deps, order));
}

/** Dials the replica that waits for the stream; all replicas have the same certificate. */
async function dial(deps: StreamDeps, { stream, address }: StreamOrder): Promise<WebSocket> {
  const { authorization, ca } = await readAccess(deps);
  const gateway = new URL(deps.gatewayUrl);
  const at = address === undefined ? gateway : new URL(`wss://${address}`);
  const createConnection = (): TLSSocket =>
    connectSecurely({
      host: at.hostname.replace(/^\[|\]$/g, ""),
      port: Number(at.port || 443),
      ca,
      minVersion: "TLSv1.3",
      ...(isIP(gateway.hostname) === 0 ? { servername: gateway.hostname } : {}),
      checkServerIdentity: (_name, certificate) => checkServerIdentity(gateway.hostname, certificate),
    });
  const socket = new WebSocket(deps.gatewayUrl + streamPath(deps.sessionUid, deps.attempt, stream), {
    headers: { authorization },
    createConnection,
    perMessageDeflate: false,
    maxPayload: protocolLimits.gatewayFrameBytes,
    handshakeTimeout: streamLimits.dialMs,
    followRedirects: false,
  });
  await once(socket, "open");
  return socket;
}
