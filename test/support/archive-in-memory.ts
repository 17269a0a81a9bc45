import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

import { Kysely, SqliteDialect, type SqliteStatement } from "kysely";

import type { Database } from "../../src/gateway/archive/open-archive.ts";

/** An archive that answers before the next turn of the event loop, for tests in which time stands still. */
export function archiveInMemory(): Database {
  const database = new DatabaseSync(":memory:");
  const opened = { prepare: (sql: string) => statementOf(database.prepare(sql)), close: () => database.close() };
  return new Kysely({ dialect: new SqliteDialect({ database: opened }) });
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
