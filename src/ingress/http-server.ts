import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

import { BoundedRequest } from "../lib/bounded-request.ts";
import { readInParts } from "../lib/read-in-parts.ts";
import { limitConnections, type ServerLimits, timeouts } from "../lib/server-limits.ts";

/** Limits of the server's connections. */
export interface IngressLimits extends ServerLimits {
  /** Milliseconds for which an idle connection is kept. */
  keepAliveMs: number;
}

const defaultLimits: IngressLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  // Longer than the 60 s for which most reverse proxies keep idle connections, so that they never use a closed one.
  keepAliveMs: 65_000,
  // Each may hold a body of 64 KB, so this bounds the memory.
  connections: 1_024,
  checkEveryMs: 1_000,
};

export interface IngressServerDeps {
  listener: RequestListener;
  /** Called for each connection that found no place. */
  onDropped?: (() => void) | undefined;
}

/** An HTTP server with limits on slow requests, connections (in all and by address) and memory; idle connections make room for new ones. */
export function createIngressServer({ listener, onDropped }: IngressServerDeps, limits = defaultLimits): Server {
  const options = { IncomingMessage: BoundedRequest, keepAliveTimeout: limits.keepAliveMs, ...timeouts(limits) };
  const server = createServer(options, listener);
  readInParts(server, "connection");
  limitConnections(server, limits.connections, () => onDropped?.());
  server.maxHeadersCount = 100;
  server.on("clientError", refuseUnparsed);
  return server;
}

const statusLines: Record<string, [string, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    "408 Request Timeout",
    "The request did not arrive in time; headers have 5 seconds, the whole request has 10",
  ],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are larger than 16 KB"],
};

/** Answers requests that Node's parser or its timeouts refused, with an error body of our form. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] = statusLines[error.code ?? ""] ?? ["400 Bad Request", "The request is not valid HTTP/1.1"];
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    // Do not keep the socket for a sender that does not close it.
    () => socket.destroy(),
  );
}
