import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

/** What a sender may take of the server. */
export interface ServerLimits {
  /** Milliseconds for the headers; who is slower gets 408. */
  headersMs: number;
  /** Milliseconds for the whole request; who is slower gets 408. */
  requestMs: number;
  /** Milliseconds for which an idle connection is kept. */
  keepAliveMs: number;
  /** Open connections. */
  connections: number;
  /** Milliseconds between looks at who is too slow. */
  checkEveryMs: number;
}

const defaultLimits: ServerLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  // Longer than the 60 s for which usual reverse proxies keep idle connections, so that they never meet a closed one.
  keepAliveMs: 65_000,
  // Each may hold a body of 64 KB, so this bounds our memory whatever senders do.
  connections: 1_024,
  checkEveryMs: 1_000,
};

/** An HTTP server on which no sender can wait for ever, fill the memory or take all places with idle connections. */
export function createIngressServer(listener: RequestListener, limits: ServerLimits = defaultLimits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    listener,
  );
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  server.on("drop", () => server.closeIdleConnections());
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

/** Answers what Node's parser or its clock refused, in our own form of error. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] = statusLines[error.code ?? ""] ?? ["400 Bad Request", "The request is not valid HTTP/1.1"];
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
