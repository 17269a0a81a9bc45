import type { BodyRoom } from "./whole-body.ts";

/** Bytes of bodies that one replica holds of whom it does not trust with more: 64 MiB. */
export const usualBodyBudget = 67_108_864;

export interface BodyBudgetOptions {
  mostBytes?: number | undefined;
  /** Counts what finds its sharer's part taken. */
  refused?: (() => void) | undefined;
}

/**
 * Limits the memory of all bodies together that are read at once. Those that name a sharer, such as a namespace, share it fairly: each
 * may have as much as it leaves free, so that the next one finds some at once.
 */
export class BodyBudget {
  readonly #most: number;
  readonly #refused: (() => void) | undefined;
  readonly #ofSharer = new Map<string, number>();
  #taken = 0;

  constructor({ mostBytes = usualBodyBudget, refused }: BodyBudgetOptions = {}) {
    this.#most = mostBytes;
    this.#refused = refused;
  }

  /** Runs `work` with room for one body, which is taken back when it ends. */
  async lend<T>(work: (room: BodyRoom) => Promise<T>, sharer?: string): Promise<T> {
    let lent = 0;
    const take = (bytes: number): boolean => {
      if (!this.#isLeft(bytes, sharer)) {
        this.#refused?.();
        return false;
      }
      this.#change(bytes, sharer);
      lent += bytes;
      return true;
    };
    try {
      return await work({ take });
    } finally {
      this.#change(-lent, sharer);
    }
  }

  /** Bytes that are lent. */
  get taken(): number {
    return this.#taken;
  }

  #isLeft(bytes: number, sharer: string | undefined): boolean {
    const free = this.#most - this.#taken - bytes;
    if (sharer === undefined) return free >= 0;
    return (this.#ofSharer.get(sharer) ?? 0) + bytes <= free;
  }

  #change(bytes: number, sharer: string | undefined): void {
    this.#taken += bytes;
    if (sharer === undefined) return;
    const own = (this.#ofSharer.get(sharer) ?? 0) + bytes;
    if (own === 0) this.#ofSharer.delete(sharer);
    else this.#ofSharer.set(sharer, own);
  }
}
