import type { IncomingMessage } from "node:http";

/** Why a body was not read to its end. */
export type BodyProblem = "TooLarge" | "TooManyPieces" | "NoRoom" | "SenderGone";

export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly problem: BodyProblem;

  constructor(problem: BodyProblem) {
    super(`the body was not read to its end: ${problem}`);
    this.problem = problem;
  }
}

/** Memory that bodies share; `take` gives false where so many bytes are not left. */
export interface BodyRoom {
  take(bytes: number): boolean;
}

export interface BodyReading {
  /** Bytes of the longest body that is read. */
  longestBytes: number;
  /** Where the memory is taken from before it is filled; its giver takes it back. Absent: it has no bound but the body's own. */
  room?: BodyRoom | undefined;
  /** Called with each piece as it arrives; the rest is not read before what it gives is fulfilled. */
  onPiece?: ((piece: Buffer) => Promise<void> | undefined) | undefined;
}

/** A piece costs a reader as much as this many bytes do. */
const bytesOfPiece = 64;
/** Pieces that any body may come in. */
const piecesOfAny = 1_024;

/**
 * In how many pieces a body of so many bytes may come, where the longest may have `longestBytes`: one that comes byte by byte costs its
 * reader a hundred times what it costs its sender.
 */
export function mostPieces(bytes: number, longestBytes: number): number {
  const charged = Math.min(longestBytes, bytes + piecesOfAny * bytesOfPiece);
  return piecesOfAny + Math.floor(charged / bytesOfPiece);
}

/** Reads a whole body into one buffer that grows with it. @throws BodyError */
export async function readWholeBody(request: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  const { longestBytes, room, onPiece } = reading;
  const buffer = new GrowingBuffer(longestBytes, room);
  await receive(request, longestBytes, (piece) => {
    buffer.add(piece);
    return onPiece?.(piece);
  });
  return buffer.bytes();
}

/** Waits for the end of a body and keeps none of it; gives its length in bytes. @throws BodyError */
export function countBody(
  request: IncomingMessage,
  { longestBytes, onPiece }: Omit<BodyReading, "room">,
): Promise<number> {
  return receive(request, longestBytes, (piece) => onPiece?.(piece));
}

/** What is too large by its Content-Length is refused at once, else at its first byte over the limit. */
function receive(
  request: IncomingMessage,
  longestBytes: number,
  take: (piece: Buffer) => Promise<void> | undefined,
): Promise<number> {
  if (request.destroyed) return Promise.reject(new BodyError("SenderGone"));
  if (Number(request.headers["content-length"] ?? 0) > longestBytes) return Promise.reject(new BodyError("TooLarge"));
  return new Promise((resolve, reject) => {
    let [bytes, pieces] = [0, 0];
    const fail = (error: unknown): void => {
      request.off("data", onData);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const holdBack = (until: Promise<void>): void => {
      request.pause();
      void until.catch(fail).finally(() => request.resume());
    };
    const onData = (piece: Buffer): void => {
      bytes += piece.length;
      pieces += 1;
      try {
        if (bytes > longestBytes) throw new BodyError("TooLarge");
        if (pieces > mostPieces(bytes, longestBytes)) throw new BodyError("TooManyPieces");
        const held = take(piece);
        if (held) holdBack(held);
      } catch (error) {
        fail(error);
      }
    };
    request.on("data", onData);
    request.once("end", () => resolve(bytes));
    // Node throws an error without a listener; `close` always follows it.
    request.on("error", () => undefined);
    request.once("close", () => {
      if (!request.complete) reject(new BodyError("SenderGone"));
    });
  });
}

/** Pieces are copied: each of them, however short, would keep all that came with it from the socket. */
class GrowingBuffer {
  readonly #longestBytes: number;
  readonly #room: BodyRoom | undefined;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(longestBytes: number, room: BodyRoom | undefined) {
    this.#longestBytes = longestBytes;
    this.#room = room;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) this.#grow(length);
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(leastBytes: number): void {
    const size = Math.min(this.#longestBytes, Math.max(leastBytes, 2 * this.#buffer.length));
    if (this.#room?.take(size - this.#buffer.length) === false) throw new BodyError("NoRoom");
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
