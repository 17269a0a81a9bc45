import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { isPostgresql } from "./engine.ts";

/** Makes a table of sums by hour and day. It is empty: the writer adds up all rows when it begins. */
export async function createSumsTable(
  db: Kysely<unknown>,
  { name, way, sums }: { name: string; way: string; sums: readonly string[] },
): Promise<void> {
  const places = [way, "span", "begin_ms", "namespace", "source", "key"];
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const place of places) {
    table = table.addColumn(place, place === "begin_ms" ? "bigint" : "text", (column) => column.notNull());
  }
  for (const sum of sums) table = table.addColumn(sum, "bigint", (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint(`${name}_key`, places)
    // The rows of the present hour and day change with every batch.
    .modifyEnd(isPostgresql(db) ? sql`WITH (fillfactor = 70)` : sql`WITHOUT ROWID`)
    .execute();
  await db.schema
    .createIndex(`${name}_of_namespace`)
    .on(name)
    .columns([way, "span", "namespace", "begin_ms"])
    .execute();
}
