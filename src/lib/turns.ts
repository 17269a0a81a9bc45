/** Items that wait, each for a sharer such as a namespace. Sharers take turns; the items of one come in the order they were added. */
export class Turns<T> {
  /** Sharers that have items, the next one first. */
  readonly #sharers = new Map<string, Set<T>>();

  get size(): number {
    return [...this.#sharers.values()].reduce((sum, items) => sum + items.size, 0);
  }

  /** How many items of the sharer wait. */
  sizeOf(sharer: string): number {
    return this.#sharers.get(sharer)?.size ?? 0;
  }

  add(sharer: string, item: T): void {
    const items = this.#sharers.get(sharer);
    if (items) items.add(item);
    else this.#sharers.set(sharer, new Set([item]));
  }

  /** Whether the item waited. */
  delete(sharer: string, item: T): boolean {
    const items = this.#sharers.get(sharer);
    const waited = items?.delete(item) === true;
    if (items?.size === 0) this.#sharers.delete(sharer);
    return waited;
  }

  /** Takes the oldest item of the sharer whose turn it is, of those who may have one; that sharer then comes after all others. */
  take(mayHave: (sharer: string) => boolean = () => true): T | undefined {
    const next = [...this.#sharers].find(([sharer]) => mayHave(sharer));
    if (!next) return undefined;
    const [sharer, items] = next;
    const [item] = items;
    if (item !== undefined) items.delete(item);
    this.#sharers.delete(sharer);
    if (items.size > 0) this.#sharers.set(sharer, items);
    return item;
  }

  clear(): void {
    this.#sharers.clear();
  }
}
