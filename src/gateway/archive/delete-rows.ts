import type { Kysely, Transaction } from "kysely";
import { bytesOf, type Freed, takeSizes } from "./sizes.ts";
import { type ArchivedTable, archivedTables, type Tables } from "./schema/tables.ts";
import { type Candidate, oldestUntil } from "./trim/oldest-until.ts";

/** Deletes rows of objects that are gone and were created before an instant, the oldest first. */
export function deleteOldest(
  db: Kysely<Tables>,
  table: ArchivedTable,
  { createdBeforeMs, most }: { createdBeforeMs: number; most: number },
): Promise<Freed[]> {
  const oldest = db
    .selectFrom(table)
    .select("uid")
    .where("created_ms", "<", createdBeforeMs)
    .where("gone_ms", "is not", null)
    .orderBy("created_ms")
    .limit(most);
  return db
    .deleteFrom(table)
    .where("uid", "in", oldest)
    .where("created_ms", "<", createdBeforeMs)
    .returning(["namespace", bytesOf(table).as("bytes")])
    .execute();
}

/**
 * Deletes rows of a namespace whose objects are gone, the oldest of all tables first, until so many bytes are free or `most`
 * rows are deleted. Returns what was deleted.
 */
export async function deleteOldestOf(
  transaction: Transaction<Tables>,
  { namespace, bytes, most }: { namespace: string; bytes: number; most: number },
): Promise<Candidate<ArchivedTable>[]> {
  const candidates: Candidate<ArchivedTable>[] = [];
  for (const table of archivedTables) candidates.push(...(await oldestOf(transaction, table, { namespace, most })));
  const chosen = oldestUntil(candidates, { bytes, most });
  for (const table of archivedTables) {
    const rows = chosen.filter((row) => row.table === table);
    if (rows.length === 0) continue;
    const created = rows.map(({ createdMs }) => createdMs);
    await transaction
      .deleteFrom(table)
      .where(
        "uid",
        "in",
        rows.map(({ uid }) => uid),
      )
      .where("created_ms", ">=", Math.min(...created))
      .where("created_ms", "<=", Math.max(...created))
      .execute();
  }
  await takeSizes(
    transaction,
    chosen.map((row) => ({ namespace, bytes: row.bytes })),
  );
  return chosen;
}

/** The oldest rows of a namespace whose object is gone. */
export async function oldestOf(
  db: Kysely<Tables>,
  table: ArchivedTable,
  { namespace, most }: { namespace: string; most: number },
): Promise<Candidate<ArchivedTable>[]> {
  const rows = await db
    .selectFrom(table)
    .select(["uid", "created_ms", bytesOf(table).as("bytes")])
    .where("namespace", "=", namespace)
    .where("gone_ms", "is not", null)
    .orderBy("created_ms")
    .limit(most)
    .execute();
  return rows.map(({ uid, created_ms, bytes }) => ({ table, uid, createdMs: created_ms, bytes }));
}
