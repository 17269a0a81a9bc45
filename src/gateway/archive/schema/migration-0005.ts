import type { Kysely } from "kysely";

/** Bytes that each namespace has of the archive. The table is empty: the writer adds up all rows when it begins. */
export async function addSizes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sizes")
    .addColumn("namespace", "text", (column) => column.primaryKey())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .execute();
}
