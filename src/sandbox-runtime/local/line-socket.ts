import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** JSON documents over a stream socket, one a line. A line that is too long or not JSON ends the connection. */
export class LineSocket {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  readonly #refused: (why: "malformed" | "tooLarge") => void;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /**
   * `receive` gets each document in order; an error that it throws ends the connection. `refused` gets the reason when a
   * line ends the connection.
   */
  constructor(
    socket: Socket,
    maxBytes: number,
    receive: (document: unknown) => void,
    refused: (why: "malformed" | "tooLarge") => void = () => undefined,
  ) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#refused = refused;
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => this.#take(chunk, receive));
  }

  /** Sends a document; false when the caller should wait for {@link whenDrained}. */
  send(document: object): boolean {
    return this.#socket.writable && this.#socket.write(`${JSON.stringify(document)}\n`);
  }

  /** Calls back when the socket has room again, or is closed. */
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

  /** Closes the connection after all was sent. */
  end(): void {
    this.#socket.end();
  }

  /** Stops reading lines and returns the socket, for raw bytes. */
  release(): Socket {
    this.#socket.removeAllListeners("data");
    this.#socket.pause();
    return this.#socket;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer, receive: (document: unknown) => void): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    try {
      for (const line of lines) {
        if (this.#socket.destroyed) return;
        if (this.#isTooLong(line)) return;
        receive(JSON.parse(line));
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
