import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** One JSON document a line over a stream socket. A line that is too long or no JSON ends the connection. */
export class LineSocket {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  readonly #refused: (why: "malformed" | "tooLarge") => void;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /**
   * `hear` gets each document in order; whatever it throws ends the connection, not the process. `refused` is told why a
   * line has ended it.
   */
  constructor(
    socket: Socket,
    maxBytes: number,
    hear: (document: unknown) => void,
    refused: (why: "malformed" | "tooLarge") => void = () => undefined,
  ) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#refused = refused;
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => this.#take(chunk, hear));
  }

  /** Sends a document; false when the peer should be given time to read. */
  send(document: object): boolean {
    return this.#socket.writable && this.#socket.write(`${JSON.stringify(document)}\n`);
  }

  /** Calls back once there is room again after {@link send} said false, or when there will be none. */
  whenDrained(run: () => void): void {
    if (!this.#socket.writable) {
      run();
      return;
    }
    const once = (): void => {
      this.#socket.off("drain", once);
      this.#socket.off("close", once);
      run();
    };
    this.#socket.on("drain", once);
    this.#socket.on("close", once);
  }

  onClose(run: () => void): void {
    this.#socket.once("close", run);
  }

  /** Sends what waits and closes. */
  end(): void {
    this.#socket.end();
  }

  /** The socket itself, for what is not lines; what has been read of it is gone. */
  release(): Socket {
    this.#socket.removeAllListeners("data");
    this.#socket.pause();
    return this.#socket;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer, hear: (document: unknown) => void): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    try {
      for (const line of lines) {
        if (this.#socket.destroyed) return;
        if (this.#isTooLong(line)) return;
        hear(JSON.parse(line));
      }
    } catch {
      this.#refuse("malformed");
      return;
    }
    this.#isTooLong(this.#rest);
  }

  #isTooLong(line: string): boolean {
    const isTooLong = line.length > this.#maxBytes;
    if (isTooLong) this.#refuse("tooLarge");
    return isTooLong;
  }

  #refuse(why: "malformed" | "tooLarge"): void {
    this.#refused(why);
    this.#socket.destroy();
  }
}
