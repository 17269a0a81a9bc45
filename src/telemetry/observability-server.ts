import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { BoundedRequest } from "../lib/bounded-request.ts";
import { readInParts } from "../lib/read-in-parts.ts";
import { limitConnections, requestTimes, timeouts } from "../lib/server-limits.ts";

export interface ObservabilityServer {
  port: number;
  close(): Promise<void>;
}

/** Of kubelet and Prometheus, which have a few each; one address has half of them at most. */
const mostConnections = 128;

/** Serves `/livez`, `/readyz` and `/metrics` on a port of its own, never reachable through the product's ports. */
export async function startObservabilityServer(deps: {
  port: number;
  registry: Registry;
  /** Why the process cannot serve right now; undefined when it can. */
  notReadyBecause: () => string | undefined;
}): Promise<ObservabilityServer> {
  const routes: Record<string, () => Promise<[number, string, string]> | [number, string, string]> = {
    "/livez": () => [200, "text/plain", "ok\n"],
    "/readyz": () => {
      const problem = deps.notReadyBecause();
      return problem === undefined ? [200, "text/plain", "ok\n"] : [503, "text/plain", `${problem}\n`];
    },
    "/metrics": async () => [200, deps.registry.contentType, await deps.registry.metrics()],
  };
  const options = { IncomingMessage: BoundedRequest, ...timeouts(requestTimes) };
  const server = createServer(options, (request, response) => {
    // Nobody reads it, so it ends with the connection.
    if (hasBody(request)) response.shouldKeepAlive = false;
    const route = routes[request.url ?? ""];
    void Promise.resolve(route ? route() : ([404, "text/plain", "not found\n"] as const)).then(
      ([status, type, body]) => response.writeHead(status, { "content-type": type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  readInParts(server, "connection");
  limitConnections(server, mostConnections, () => undefined);
  server.listen(deps.port);
  await once(server, "listening");
  return {
    // A TCP server's address is never a pipe's name.
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
