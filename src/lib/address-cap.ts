import type { Server, Socket } from "node:net";

import type { FairShares } from "./fair-shares.ts";

/** Why a connection was dropped. */
export type Dropped = "TooManyConnections" | "SlowedDown";

interface Limits {
  /** Places of connections, by remote address. */
  shares: FairShares;
  /** New connections, each of which costs a handshake, by remote address. */
  arrivals?: { take(address: string): boolean } | undefined;
  /** Addresses whose connections are refused for a while, as others of them failed. */
  slowdown?: { isSlowed(address: string): boolean; failed(address: string): void } | undefined;
  /** Takes a connection of an address with its share that may end for a new one of it; for servers on which nobody proves who it is. */
  idle?: { take(address: string): Socket | undefined } | undefined;
}

/** What a connection holds. */
interface Place {
  free: () => void;
}

/** New connections that a port takes, each of which may cost a millisecond of the process. */
export const arrivalLimits = { burst: 2_048, perSecond: 256 } as const;

/**
 * Limits connections by remote address; `dropped` is called for each one beyond, before its handshake. One that ends before its
 * handshake has, whichever way, is a failure of its address. The returned function frees the place of a connection that stays open and
 * has proved who it is.
 */
export function limitAddresses(
  server: Server,
  { shares, arrivals, slowdown, idle }: Limits,
  dropped: (why: Dropped) => void,
): (socket: Socket) => void {
  const places = new Map<string, Place>();
  const handshaking = new Set<string>();
  // What a server does with a connection costs more than to drop it, TLS most of all.
  const serve = server.listeners("connection");
  server.removeAllListeners("connection");
  function placeOfIdle(address: string): (() => void) | undefined {
    const socket = idle?.take(address);
    const place = socket && places.get(peerOf(socket));
    if (!place) return undefined;
    socket.destroy();
    const { free } = place;
    place.free = () => undefined;
    return free;
  }
  function admit(address: string): (() => void) | Dropped {
    if (slowdown?.isSlowed(address)) return "SlowedDown";
    const free = shares.take(address) ?? placeOfIdle(address);
    if (!free) return "TooManyConnections";
    if (arrivals?.take(address) !== false) return free;
    free();
    return "SlowedDown";
  }
  server.on("secureConnection", (socket: Socket) => void handshaking.delete(peerOf(socket)));
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // It is closed already.
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const free = admit(address);
    if (typeof free === "string") {
      socket.destroy();
      dropped(free);
      return;
    }
    const peer = peerOf(socket);
    const place: Place = { free };
    places.set(peer, place);
    handshaking.add(peer);
    socket.once("close", () => {
      place.free();
      places.delete(peer);
      // Its socket has no address any more.
      if (handshaking.delete(peer)) slowdown?.failed(address);
    });
    for (const listener of serve) listener.call(server, socket);
  });
  return (socket) => places.get(peerOf(socket))?.free();
}

/** The same for a connection and the TLS socket upon it. */
function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
