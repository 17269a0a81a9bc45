import { randomBytes, randomUUID } from "node:crypto";

/** Chance as a port: tests and simulations replay it, production asks the machine. */
export interface Random {
  /** Bytes that nobody can foretell. */
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
