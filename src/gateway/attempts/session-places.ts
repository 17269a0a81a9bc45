/** Bounds what is done at once for each session. */
export class SessionPlaces {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place; what it returns gives it back. Undefined when there is none. */
  take(sessionUid: string): (() => void) | undefined {
    const before = this.#taken.get(sessionUid) ?? 0;
    if (before >= this.#most) return undefined;
    this.#taken.set(sessionUid, before + 1);
    return () => {
      const left = (this.#taken.get(sessionUid) ?? 1) - 1;
      if (left === 0) this.#taken.delete(sessionUid);
      else this.#taken.set(sessionUid, left);
    };
  }
}
