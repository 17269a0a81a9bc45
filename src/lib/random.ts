import { randomBytes, randomUUID } from "node:crypto";

/** Randomness as a port, so that tests and simulations can replay it. */
export interface Random {
  /** Cryptographically secure random bytes. */
  bytes(size: number): Buffer;
  /** From 0 up to, but not including, 1: for jitter, never for names or secrets. */
  fraction(): number;
  /** A random UUID. */
  uuid(): string;
}

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
};
