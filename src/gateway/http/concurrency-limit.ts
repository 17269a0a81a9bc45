/** Limits how much is under way at once for each key; without keys, in all. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place, which the returned function frees when it is called once; undefined while all are taken. */
  take(key = ""): (() => void) | undefined {
    const before = this.#taken.get(key) ?? 0;
    if (before >= this.#most) return undefined;
    this.#taken.set(key, before + 1);
    return () => {
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }

  /** Does the work in a place. @throws `busy()` while all are taken */
  async run<T>(work: () => Promise<T>, busy: () => Error, key = ""): Promise<T> {
    const free = this.take(key);
    if (!free) throw busy();
    try {
      return await work();
    } finally {
      free();
    }
  }
}
