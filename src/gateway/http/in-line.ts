/** Work that is done one after the other for each key, such as a namespace; that of one key waits for no other. */
export class InLine {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when that before it of the same key has ended, however it did. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return done;
  }

  /** Keys whose work goes on or waits. */
  get size(): number {
    return this.#last.size;
  }
}
