import { randomBytes, randomUUID } from "node:crypto";

/** Randomness as a port, so that tests and simulations can replay it. */
export interface Random {
  /** Cryptographically secure random bytes, for the caller alone. */
  bytes(size: number): Buffer;
  /** From 0 up to, but not including, 1: for jitter, never for names or secrets. */
  fraction(): number;
  /** A random UUID. */
  uuid(): string;
}

export const systemRandom: Random = {
  bytes: bytesOfBlocks(randomBytes),
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
};

/** Bytes drawn at once: a draw for each name was 5 % of the ingress's CPU time. */
const blockBytes = 4_096;

/** Hands out the bytes of blocks that `draw` makes, each byte once; a request larger than a block has a draw of its own. */
export function bytesOfBlocks(draw: (size: number) => Buffer): (size: number) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  return (size) => {
    if (size > blockBytes) return draw(size);
    if (rest.length < size) rest = draw(blockBytes);
    const bytes = rest.subarray(0, size);
    rest = rest.subarray(size);
    return bytes;
  };
}
