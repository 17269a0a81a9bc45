import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections of an HTTP server on which nothing has come since their last answer, by remote address. One without any request is none. */
export class IdleConnections {
  readonly #requests = new WeakMap<Socket, number>();
  /** With the bytes that had come by then; who is idle for longest is first. */
  readonly #idle = new Map<string, Map<Socket, number>>();

  constructor(server: Server) {
    server.on("request", ({ socket }, response) => {
      const { remoteAddress: address } = socket;
      // It is closed already.
      if (address === undefined) return;
      this.#begun(socket, address);
      response.once("close", () => this.#answered(socket, address));
    });
  }

  /** Takes the address's connection that is idle for longest. */
  take(address: string): Socket | undefined {
    for (const [socket, bytes] of this.#idle.get(address) ?? []) {
      this.#forget(socket, address);
      if (socket.bytesRead === bytes && socket.writable) return socket;
    }
    return undefined;
  }

  #begun(socket: Socket, address: string): void {
    const others = this.#requests.get(socket);
    if (others === undefined) socket.once("close", () => this.#forget(socket, address));
    this.#requests.set(socket, (others ?? 0) + 1);
    this.#forget(socket, address);
  }

  #answered(socket: Socket, address: string): void {
    const left = (this.#requests.get(socket) ?? 1) - 1;
    this.#requests.set(socket, left);
    if (left > 0) return;
    const idle = this.#idle.get(address) ?? new Map<Socket, number>();
    this.#idle.set(address, idle.set(socket, socket.bytesRead));
  }

  #forget(socket: Socket, address: string): void {
    const idle = this.#idle.get(address);
    if (idle?.delete(socket) && idle.size === 0) this.#idle.delete(address);
  }
}
