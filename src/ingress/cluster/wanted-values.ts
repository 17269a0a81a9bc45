const none: ReadonlySet<never> = new Set();

/** The values of a key, and how often each was added. */
interface Counted<T> {
  counts: Map<T, number>;
  values: Set<T>;
}

/** What Automations want, by the key of their Integration, counted so that a change costs no more than the one Automation's values. */
export class WantedValues<T extends string> {
  readonly #byKey = new Map<string, Counted<T>>();

  /** The values that are wanted now; the set changes with them. */
  of(key: string): ReadonlySet<T> {
    return this.#byKey.get(key)?.values ?? none;
  }

  add(key: string, values: readonly T[]): void {
    if (values.length === 0) return;
    const counted = this.#byKey.get(key) ?? { counts: new Map<T, number>(), values: new Set<T>() };
    this.#byKey.set(key, counted);
    for (const value of values) {
      counted.counts.set(value, (counted.counts.get(value) ?? 0) + 1);
      counted.values.add(value);
    }
  }

  /** Takes back what was added. */
  remove(key: string, values: readonly T[]): void {
    const counted = this.#byKey.get(key);
    if (!counted) return;
    for (const value of values) {
      const left = (counted.counts.get(value) ?? 0) - 1;
      if (left > 0) counted.counts.set(value, left);
      else {
        counted.counts.delete(value);
        counted.values.delete(value);
      }
    }
    if (counted.counts.size === 0) this.#byKey.delete(key);
  }
}
