/** Who waits for a place, and the share that its namespace would have with it. */
interface Ranked<T> {
  one: T;
  /** Places that its namespace has, and that those of it get which wait before this one. */
  share: number;
}

/**
 * Those who wait, of whom each namespace has as many in front as places in `taken`: sorted by their share, namespaces take turns.
 * `waiting` is in the order in which they go within a namespace.
 */
export function withShares<T extends { namespace: string }>(
  waiting: readonly T[],
  taken: Iterable<string>,
): Ranked<T>[] {
  const shares = new Map<string, number>();
  const nextShare = (namespace: string): number => {
    const share = shares.get(namespace) ?? 0;
    shares.set(namespace, share + 1);
    return share;
  };
  for (const namespace of taken) nextShare(namespace);
  return waiting.map((one) => ({ one, share: nextShare(one.namespace) }));
}
