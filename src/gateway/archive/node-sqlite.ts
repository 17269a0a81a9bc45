import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";

/** Opens, or makes, the file of an embedded archive. A commit is on disk when it returns. @throws when it cannot be written */
export function openSqlite(file: string): SqliteDatabase {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // Readers do not wait for the writer.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return {
    prepare: (sql) => statementOf(database.prepare(sql)),
    close: () => database.close(),
  };
}

/** Kysely knows the interface of `better-sqlite3`. */
function statementOf(statement: StatementSync): SqliteStatement {
  const given = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...given(parameters)),
    run: (parameters) => statement.run(...given(parameters)),
    iterate: (parameters) => statement.iterate(...given(parameters)),
  };
}
