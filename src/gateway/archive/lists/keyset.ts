import { sql, type RawBuilder } from "kysely";

/** Where a page begins: after the row with this creation and UID. */
export interface Paging {
  namespace?: string | undefined;
  limit: number;
  cursor?: string | undefined;
  /** Since when history of the namespace is its own, in milliseconds. */
  beginMs: number;
}

/** Which rows come after the cursor, newest first. */
export function isAfter(cursor: string): RawBuilder<boolean> {
  const [created, uid = ""] = cursor.split(".");
  return sql<boolean>`(created_ms, uid) < (${Number(created)}, ${uid})`;
}

/** A page of the rows, of which there is one more than the limit where there are more. */
export function paged<Row extends { created_ms: number; uid: string }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; hasMore: boolean; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return { page, hasMore, nextCursor: hasMore && last ? `${last.created_ms}.${last.uid}` : null };
}
