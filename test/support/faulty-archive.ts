import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresIntrospector,
  type QueryResult,
  SqliteIntrospector,
} from "kysely";

import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { isPostgresql } from "../../src/gateway/archive/schema/engine.ts";

/** How a statement fails: the engine does not take it; or it does, and the server ends the connection before it answers. */
export type Fault = "refused" | "cut";

/** An archive of a real engine whose statements fail as a test says. */
export class FaultyArchive implements Driver {
  readonly database: Database;
  /** Asked before each statement. */
  fault: (statement: string) => Fault | undefined = () => undefined;
  readonly #real: Database;
  readonly #releases = new Map<DatabaseConnection, () => void>();
  #held = 0;

  constructor(real: Database) {
    this.#real = real;
    const executor = real.getExecutor();
    this.database = new Kysely({
      dialect: {
        createAdapter: () => executor.adapter,
        createDriver: () => this,
        createIntrospector: (db) => (isPostgresql(real) ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
        createQueryCompiler: () => ({ compileQuery: (node, id) => executor.compileQuery(node, id) }),
      },
    });
  }

  /** Whether a connection is in use. */
  get isBusy(): boolean {
    return this.#held > 0;
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    this.#held += 1;
    return new Promise((resolve, reject) => {
      const held = this.#real.getExecutor().provideConnection((real) => {
        const { promise, resolve: release } = Promise.withResolvers<undefined>();
        const connection = this.#faulty(real);
        this.#releases.set(connection, () => release(undefined));
        resolve(connection);
        return promise;
      });
      held.catch(reject).finally(() => (this.#held -= 1));
    });
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#releases.get(connection)?.();
    this.#releases.delete(connection);
    return Promise.resolve();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  destroy(): Promise<void> {
    return this.#real.destroy();
  }

  #faulty(real: DatabaseConnection): DatabaseConnection {
    return {
      executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
        const fault = this.fault(query.sql);
        if (fault === "refused") throw new Error(`a test lets this fail: ${query.sql}`);
        const result = await real.executeQuery<Row>(query);
        if (fault === "cut")
          await real.executeQuery(CompiledQuery.raw("SELECT pg_terminate_backend(pg_backend_pid())"));
        return result;
      },
      streamQuery: (...args) => real.streamQuery(...args),
    };
  }
}
