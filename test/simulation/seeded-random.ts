import type { Random } from "../../src/lib/random.ts";
import { oneOf, randomOf } from "../kills/random.ts";

/** Random numbers that follow from a seed alone: the same seed gives the same history. */
export class SeededRandom implements Random {
  readonly fraction: () => number;

  constructor(seed: number) {
    this.fraction = randomOf(seed);
  }

  /** From 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return oneOf(this.fraction, items);
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.below(256)));
  }

  uuid(): string {
    const hex = this.bytes(16).toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }
}
