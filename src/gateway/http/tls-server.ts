import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { SecureVersion } from "node:tls";
import { promisify } from "node:util";
import { BoundedRequest } from "../../lib/bounded-request.ts";
import type { Clock } from "../../lib/clock.ts";
import { readInParts } from "../../lib/read-in-parts.ts";
import { requestTimes, timeouts } from "../../lib/server-limits.ts";
import type { Certificate } from "./certificate.ts";

export interface TlsServer {
  readonly server: Server;
  /** Serves new connections with this certificate; open ones stay. */
  use(certificate: Certificate): void;
  /** Number of open connections. */
  connections(): Promise<number>;
  /** The port it listens on; 0 before {@link listen}. */
  port(): number;
  listen(port: number): Promise<void>;
  /** Stops listening, and closes connections that are still open after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Concurrent connections of a port; more are dropped before their handshake, to protect file descriptors and memory. */
export const mostConnections = 4_096;

/** A TLS server whose certificate is set later and can be replaced; without one it fails every handshake. */
export function createTlsServer(
  { minVersion, clock }: { minVersion: SecureVersion; clock: Pick<Clock, "setTimeout"> },
  onRequest: RequestListener,
): TlsServer {
  const server = createServer(
    {
      IncomingMessage: BoundedRequest,
      minVersion,
      handshakeTimeout: 10_000,
      ...timeouts(requestTimes),
      keepAliveTimeout: 30_000,
    },
    onRequest,
  );
  readInParts(server, "secureConnection");
  server.maxConnections = mostConnections;
  server.on("tlsClientError", (_error, socket) => void socket.destroy());
  return {
    server,
    use: (certificate) => server.setSecureContext({ ...certificate, minVersion }),
    connections: () => promisify(server.getConnections.bind(server))(),
    port: () => (server.address() as AddressInfo | null)?.port ?? 0,
    async listen(port) {
      server.listen(port);
      await once(server, "listening");
    },
    async close(graceMs) {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      const timer = clock.setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      timer.cancel();
    },
  };
}
