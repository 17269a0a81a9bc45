import type { Server, Socket } from "node:net";

/**
 * Lets one address have so many connections of a server at once; more are dropped before their handshake, and `dropped`
 * is told of each.
 */
export function capPerAddress(server: Server, most: number, dropped: () => void): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    // Gone already: there is nothing to count.
    const address = socket.remoteAddress;
    if (address === undefined) return;
    const count = open.get(address) ?? 0;
    if (count >= most) {
      socket.destroy();
      dropped();
      return;
    }
    open.set(address, count + 1);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
