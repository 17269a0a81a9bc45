import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";

/** Migrates in one transaction, which SQLite can and Kysely leaves out: a gateway may be killed in every step. */
export class EmbeddedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new AdapterWithTransactions();
  }
}

class AdapterWithTransactions extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

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
