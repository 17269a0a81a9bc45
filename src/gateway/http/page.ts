/** The sort key of an entry, newest first; later parts break ties. */
export type Position = readonly (number | string)[];

export interface Page<T> {
  entries: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/**
 * The entries after a cursor, newest first, at most `limit`. A cursor is the sort key of the last entry of its page,
 * which never changes, so creations and deletions between two pages lose and repeat no other entry.
 */
export function pageOf<T>(
  list: readonly T[],
  positionOf: (entry: T) => Position,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Page<T> {
  const placed = list.map((entry) => ({ entry, position: positionOf(entry) }));
  const from = cursor ? parseCursor(cursor, placed[0]?.position) : undefined;
  const rest = placed
    .filter(({ position }) => !from || compare(position, from) > 0)
    .sort((a, b) => compare(a.position, b.position));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rest.length > page.length;
  return {
    entries: page.map(({ entry }) => entry),
    hasMore,
    nextCursor: hasMore && last ? last.position.join(".") : null,
  };
}

/** The last part is text and may contain dots. */
function parseCursor(cursor: string, like: Position | undefined): Position | undefined {
  if (!like) return undefined;
  const parts = cursor.split(".");
  const numbers = parts.slice(0, like.length - 1).map(Number);
  return [...numbers, parts.slice(like.length - 1).join(".")];
}

/** Negative when `a` comes before `b`: the greater one is newer. */
function compare(a: Position, b: Position): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? "";
    if (part !== other) return part > other ? -1 : 1;
  }
  return 0;
}
