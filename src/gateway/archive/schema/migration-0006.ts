import type { Kysely } from "kysely";

/** Up to where a budget has taken history away from each namespace. What was taken before this schema is not known. */
export async function addTrimmed(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("trimmed")
    .addColumn("namespace", "text", (column) => column.primaryKey())
    .addColumn("newest_ms", "bigint", (column) => column.notNull())
    .addColumn("budget", "text", (column) => column.notNull())
    .addColumn("budget_bytes", "bigint", (column) => column.notNull())
    .execute();
}
