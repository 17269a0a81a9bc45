import type { Server, Socket } from "node:net";

import { ConcurrencyLimit } from "./concurrency-limit.ts";

/** Limits concurrent connections per remote address; `dropped` is called for each one beyond, before its handshake. */
export function capPerAddress(server: Server, most: number, dropped: () => void): void {
  const limit = new ConcurrencyLimit(most);
  server.on("connection", (socket: Socket) => {
    // A socket that is closed already has none, and nothing to count.
    const address = socket.remoteAddress;
    if (address === undefined) return;
    const free = limit.take(address);
    if (free) {
      socket.once("close", free);
      return;
    }
    socket.destroy();
    dropped();
  });
}
