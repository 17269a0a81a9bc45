import type { Socket } from "node:net";
import { FilePiece } from "./messages.ts";
import type { LineSocket } from "./line-socket.ts";

/** A file that the agent's container offers. */
export interface OfferedFile {
  /** Untrusted. */
  fileName: string;
  bytes: number;
}

/** Milliseconds without a piece after which the connection ends. */
const silenceMs = 30_000;

/** Takes a file that comes in pieces, once it is asked for. */
export class IncomingFile {
  readonly #lines: LineSocket;
  readonly #socket: Pick<Socket, "setTimeout" | "destroy">;
  readonly #bytes: number;
  readonly #content = Promise.withResolvers<Buffer>();
  readonly #pieces: Buffer[] = [];
  #missing: number;
  #isWanted = false;

  constructor({ lines, socket, bytes }: { lines: LineSocket; socket: Socket; bytes: number }) {
    this.#lines = lines;
    this.#socket = socket;
    this.#bytes = bytes;
    this.#missing = bytes;
    // Where nobody asked for the content, its loss is none.
    this.#content.promise.catch(() => undefined);
    lines.onClose(() => this.#content.reject(new Error("the file was not sent to its end")));
  }

  /** Has it sent; rejects when the connection ends before that. It is in memory as a whole, so the caller bounds its size. */
  content(): Promise<Buffer> {
    this.#isWanted = true;
    this.#socket.setTimeout(silenceMs, () => this.#missing > 0 && this.#socket.destroy());
    this.#lines.send({ status: 100, body: {} });
    if (this.#missing === 0) this.#end();
    return this.#content.promise;
  }

  /** @throws for what is no piece, or more than was offered */
  receive(document: unknown): void {
    const piece = Buffer.from(FilePiece.parse(document).piece, "base64");
    if (!this.#isWanted || piece.length === 0 || piece.length > this.#missing) throw new Error("out of order");
    this.#missing -= piece.length;
    this.#pieces.push(piece);
    if (this.#missing === 0) this.#end();
  }

  #end(): void {
    this.#socket.setTimeout(0);
    this.#content.resolve(Buffer.concat(this.#pieces.splice(0), this.#bytes));
  }
}
