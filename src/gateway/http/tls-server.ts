import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { SecureVersion } from "node:tls";
import { promisify } from "node:util";
import type { Clock } from "../../lib/clock.ts";
import type { Certificate } from "./certificate.ts";

export interface TlsServer {
  readonly server: Server;
  /** New connections see the new certificate, those that are there stay. */
  use(certificate: Certificate): void;
  /** How many are open. */
  connections(): Promise<number>;
  /** The port it listens on; 0 before {@link listen}. */
  port(): number;
  listen(port: number): Promise<void>;
  /** Stops listening and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Beyond these, connections are dropped before their handshake: descriptors and memory are everybody's. */
export const mostConnections = 4_096;

/** A TLS server that takes its certificate later and anew; without one it refuses every handshake. */
export function createTlsServer(
  { minVersion, clock }: { minVersion: SecureVersion; clock: Pick<Clock, "setTimeout"> },
  onRequest: RequestListener,
): TlsServer {
  const server = createServer(
    { minVersion, handshakeTimeout: 10_000, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 30_000 },
    onRequest,
  );
  server.maxConnections = mostConnections;
  // Broken handshakes are everyday life on a port.
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
