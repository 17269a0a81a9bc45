/** How many places there are, and how many one key may have at most. */
export interface ShareLimits {
  places: number;
  perKey?: number | undefined;
}

/**
 * Places that keys share fairly, such as addresses or namespaces: a key may have as many as are free. So n keys that take all
 * they can leave as many free as each of them has, and the next key finds places at once.
 */
export class FairShares {
  readonly #places: number;
  readonly #perKey: number;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor({ places, perKey = places }: ShareLimits) {
    this.#places = places;
    this.#perKey = perKey;
  }

  /** Takes a place, which the returned function frees; undefined while the key has its share. */
  take(key: string): (() => void) | undefined {
    const own = this.#taken.get(key) ?? 0;
    if (own >= Math.min(this.#perKey, this.#places - this.#inAll)) return undefined;
    this.#change(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#change(key, -1);
      isTaken = false;
    };
  }

  #change(key: string, by: 1 | -1): void {
    this.#inAll += by;
    const own = (this.#taken.get(key) ?? 0) + by;
    if (own === 0) this.#taken.delete(key);
    else this.#taken.set(key, own);
  }
}
