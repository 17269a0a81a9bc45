import type { Server } from "node:http";

import { limitAddresses } from "./address-cap.ts";
import { FairShares } from "./fair-shares.ts";
import { IdleConnections } from "./idle-connections.ts";

/** What one server takes of strangers; slower requests get 408. */
export interface ServerLimits {
  /** Milliseconds for the headers. */
  headersMs: number;
  /** Milliseconds for the whole request. */
  requestMs: number;
  /** Milliseconds between checks for slow requests. */
  checkEveryMs: number;
  /** Open connections. One address has at most as many as are free, alone half: a proxy has all its people's. */
  connections: number;
}

/** Times for requests. Node itself looks for slow ones every 30 seconds, so that each would have as much more. */
export const requestTimes = { headersMs: 10_000, requestMs: 30_000, checkEveryMs: 1_000 } as const;

type Times = Omit<ServerLimits, "connections">;

/** The times as options of Node's servers. */
export function timeouts({ headersMs, requestMs, checkEveryMs }: Times) {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkEveryMs };
}

/**
 * Bounds the connections of a server, in all and by remote address. An address that has its share gets the place of its own idle one; all
 * idle ones make room when all places are taken. `dropped` is called for each connection beyond. To be called when all else listens to the
 * server's connections.
 */
export function limitConnections(server: Server, connections: number, dropped: () => void): void {
  server.maxConnections = connections;
  server.on("drop", () => {
    server.closeIdleConnections();
    dropped();
  });
  limitAddresses(
    server,
    { shares: new FairShares({ places: connections }), idle: new IdleConnections(server) },
    dropped,
  );
}
