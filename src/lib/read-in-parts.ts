import type { IncomingMessage } from "node:http";
import type { Server, Socket } from "node:net";

import { systemClock } from "./clock.ts";

/** Bytes that are parsed at once. A body in chunks of one byte has 682 in as many, which cost less than a millisecond. */
const longestPart = 4_096;
/** Milliseconds of each turn of the event loop after which parts wait for the next one. */
const msOfTurn = 1;
/** Bytes that are parsed at once of a body whose length is known, as it has no chunks. */
const longestPlainPart = 65_536;

const connections = new WeakMap<Socket, Connection>();

/**
 * Has an HTTP server parse what its connections bring in short parts, and no more of it in a turn of the event loop than leaves time for
 * all else. By itself Node parses all that one read of a socket brought: that may be 64 KiB with ten thousand chunks, and the first of
 * them can be reason enough to end the connection.
 */
export function readInParts(server: Server, event: "connection" | "secureConnection"): void {
  const line = new Line();
  server.on(event, (socket: Socket) => {
    // The parser reads by itself, and passes the socket by, until somebody has listened to it.
    const listener = (): void => undefined;
    socket.on("data", listener).off("data", listener);
    connections.set(socket, new Connection(socket, line));
  });
  server.prependListener("request", ({ socket, headers }: IncomingMessage) => {
    connections.get(socket)?.expectPlain(Number(headers["content-length"] ?? 0));
  });
}

/** Ends it for a connection that speaks HTTP no more, and may have much to bring. */
export function readWhole(socket: Socket): void {
  connections.get(socket)?.readWhole();
}

/** Connections with parts that wait; one part of each has its turn. */
class Line {
  readonly #waiting: Connection[] = [];
  #spentMs = 0;
  #isTurnOver = true;

  /** Passes a part on now or later. False tells the socket to read no more for now. */
  pass(connection: Connection): boolean {
    if (this.#isTurnOver) this.#beginTurn();
    if (this.#waiting.length === 0 && this.#spentMs < msOfTurn) return this.#passNow(connection);
    this.#waiting.push(connection);
    return false;
  }

  #beginTurn(): void {
    this.#isTurnOver = false;
    this.#spentMs = 0;
    // oxlint-disable-next-line no-restricted-globals -- turns of the event loop are what this is about, no time
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnOver = true;
    if (this.#waiting.length > 0) this.#beginTurn();
    while (this.#spentMs < msOfTurn) {
      const first = this.#waiting.shift();
      if (!first) return;
      if (this.#passNow(first)) first.readOn();
    }
  }

  #passNow(connection: Connection): boolean {
    const beganMs = systemClock.monotonicMs();
    const wantsMore = connection.passPart();
    this.#spentMs += systemClock.monotonicMs() - beganMs;
    if (!connection.hasMore) return wantsMore;
    this.#waiting.push(connection);
    return false;
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #push: (bytes: Buffer | null) => boolean;
  /** Bytes to come that have no chunks. */
  #plain = 0;
  /** What was read and not yet passed on; null is the end. */
  #read: (Buffer | null)[] = [];

  constructor(socket: Socket, line: Line) {
    this.#socket = socket;
    this.#push = socket.push.bind(socket);
    socket.push = (bytes: Buffer | null) => {
      this.#read.push(bytes);
      // One that has more stands in line already.
      return this.#read.length === 1 && line.pass(this);
    };
  }

  get hasMore(): boolean {
    return this.#read.length > 0;
  }

  readWhole(): void {
    this.#plain = Infinity;
  }

  expectPlain(bytes: number): void {
    this.#plain = bytes;
  }

  passPart(): boolean {
    if (this.#socket.destroyed) {
      this.#read = [];
      return false;
    }
    const [first = null] = this.#read;
    const part = first?.subarray(0, Math.max(longestPart, Math.min(longestPlainPart, this.#plain))) ?? null;
    this.#plain = Math.max(0, this.#plain - (part?.length ?? 0));
    const wantsMore = this.#push(part);
    if (first && part && part.length < first.length) this.#read[0] = first.subarray(part.length);
    else this.#read.shift();
    return wantsMore;
  }

  readOn(): void {
    this.#socket.read(0);
  }
}
