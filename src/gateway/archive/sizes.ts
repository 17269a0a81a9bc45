import { type QueryExecutorProvider, type RawBuilder, sql, type Transaction } from "kysely";
import { byCreation } from "./rows-by-creation.ts";
import { type ArchivedTable, archivedTables, columnsOf, type Tables } from "./schema/tables.ts";

/** Bytes of a row beside its texts: its numbers, its part of each index, and what it adds to sums. */
export const rowOverhead = 512;

/** Bytes of a row, as they count against budgets. A migration that changes the columns of a table empties the sizes. */
export function bytesOf(table: ArchivedTable): RawBuilder<number> {
  const texts = Object.entries(columnsOf[table]).filter(([, { kind }]) => kind !== "number");
  const octets = texts.map(([column]) => sql`coalesce(octet_length(${sql.ref(`${table}.${column}`)}), 0)`);
  return sql`${sql.lit(rowOverhead)} + ${sql.join(octets, sql` + `)}`;
}

/** Adds rows to what their namespaces have, or with -1 takes them away. */
export async function addSizes(
  db: QueryExecutorProvider,
  table: ArchivedTable,
  { sign, where }: { sign: 1 | -1; where: RawBuilder<unknown> },
): Promise<void> {
  await sql`
    INSERT INTO sizes (namespace, bytes)
    SELECT namespace, ${sql.lit(sign)} * sum(${bytesOf(table)}) FROM ${sql.table(table)} WHERE ${where} GROUP BY namespace
    ON CONFLICT (namespace) DO UPDATE SET bytes = sizes.bytes + excluded.bytes`.execute(db);
}

/** Rows that were deleted, and their bytes. */
export interface Freed {
  namespace: string;
  bytes: number;
}

/** Takes away what deleted rows had, and forgets namespaces that have none left. */
export async function takeSizes(transaction: Transaction<Tables>, freed: readonly Freed[]): Promise<void> {
  const sums = new Map<string, number>();
  for (const { namespace, bytes } of freed) sums.set(namespace, (sums.get(namespace) ?? 0) + bytes);
  for (const [namespace, bytes] of sums) {
    await transaction
      .updateTable("sizes")
      .set(({ eb }) => ({ bytes: eb("bytes", "-", bytes) }))
      .where("namespace", "=", namespace)
      .execute();
    await transaction.deleteFrom("sizes").where("namespace", "=", namespace).where("bytes", "<=", 0).execute();
  }
}

/** Adds up all rows where no namespace has a size, as after the migration that made the sizes. */
export async function sizeUpUnsized(transaction: Transaction<Tables>): Promise<void> {
  const sized = await transaction.selectFrom("sizes").select("namespace").limit(1).executeTakeFirst();
  if (sized) return;
  for (const table of archivedTables) {
    await byCreation(transaction, table, { work: (where) => addSizes(transaction, table, { sign: 1, where }) });
  }
}
