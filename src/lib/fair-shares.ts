/** How many places there are, by default without a limit, and how many one key may have at most. */
export interface ShareLimits {
  places?: number | undefined;
  perKey?: number | undefined;
  /** Counts what finds its key's share taken. */
  refused?: (() => void) | undefined;
}

/**
 * Places that keys share fairly, such as addresses or namespaces: a key may have as many as are free. So n keys that take all
 * they can leave as many free as each of them has, and the next key finds places at once.
 */
export class FairShares {
  readonly #places: number;
  readonly #perKey: number;
  readonly #refused: (() => void) | undefined;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor({ places = Infinity, perKey = places, refused }: ShareLimits) {
    this.#places = places;
    this.#perKey = perKey;
    this.#refused = refused;
  }

  /** Takes a place, which the returned function frees; undefined while the key has its share. */
  take(key: string): (() => void) | undefined {
    const own = this.#taken.get(key) ?? 0;
    if (own >= Math.min(this.#perKey, this.#places - this.#inAll)) {
      this.#refused?.();
      return undefined;
    }
    this.#change(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#change(key, -1);
      isTaken = false;
    };
  }

  /** Does the work in a place. @throws `busy()` while the key has its share */
  async run<T>(key: string, work: () => Promise<T>, busy: () => Error): Promise<T> {
    const free = this.take(key);
    if (!free) throw busy();
    try {
      return await work();
    } finally {
      free();
    }
  }

  #change(key: string, by: 1 | -1): void {
    this.#inAll += by;
    const own = (this.#taken.get(key) ?? 0) + by;
    if (own === 0) this.#taken.delete(key);
    else this.#taken.set(key, own);
  }
}
