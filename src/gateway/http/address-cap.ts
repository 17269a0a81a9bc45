import type { Server, Socket } from "node:net";

import type { FairShares } from "./fair-shares.ts";
import type { Slowdown } from "./slowdown.ts";

/** Why a connection was dropped. */
export type Dropped = "TooManyConnections" | "SlowedDown";

interface Limits {
  /** Places of connections, by remote address. */
  shares: FairShares;
  slowdown?: Pick<Slowdown, "isSlowed"> | undefined;
}

/**
 * Limits connections by remote address; `dropped` is called for each one beyond, before its handshake. The returned function frees
 * the place of a connection that stays open and has proved who it is.
 */
export function limitAddresses(
  server: Server,
  { shares, slowdown }: Limits,
  dropped: (why: Dropped) => void,
): (socket: Socket) => void {
  const places = new Map<string, () => void>();
  server.on("connection", (socket: Socket) => {
    // A socket that is closed already has none, and nothing to count.
    const address = socket.remoteAddress;
    if (address === undefined) return;
    const isSlowed = slowdown?.isSlowed(address) === true;
    const free = isSlowed ? undefined : shares.take(address);
    if (!free) {
      socket.destroy();
      dropped(isSlowed ? "SlowedDown" : "TooManyConnections");
      return;
    }
    const peer = peerOf(socket);
    places.set(peer, free);
    socket.once("close", () => {
      free();
      places.delete(peer);
    });
  });
  return (socket) => places.get(peerOf(socket))?.();
}

/** The same for a connection and the TLS socket upon it. */
function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
