import { type QueryExecutorProvider, PostgresAdapter, type RawBuilder, sql } from "kysely";

/** Whether the archive is on a PostgreSQL; else it is an embedded file. */
export function isPostgresql(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** A column of text to compare by its bytes, as programs do, whatever the locale of the database. */
export function byBytes(db: QueryExecutorProvider, column: string): RawBuilder<string> {
  return isPostgresql(db) ? sql`${sql.ref(column)} COLLATE "C"` : sql.ref(column);
}
