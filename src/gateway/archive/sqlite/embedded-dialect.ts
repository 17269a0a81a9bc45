import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";

import { SqliteThread, type SqliteValue } from "./sqlite-thread.ts";

/** Connections to one file: one for the writer, the others for queries. */
const mostThreads = 4;

/** An embedded archive: statements run in threads, so that a long one keeps nothing else of the process waiting. */
export class EmbeddedDialect extends SqliteDialect {
  readonly #driver: Driver;

  private constructor(driver: Driver) {
    super({ database: () => Promise.reject(new Error("the driver opens the file")) });
    this.#driver = driver;
  }

  /** Opens, or makes, the file. Rejects when it cannot be written. */
  static async open(file: string, most = mostThreads): Promise<EmbeddedDialect> {
    return new EmbeddedDialect(new ThreadsDriver(file, { first: await SqliteThread.open(file), most }));
  }

  override createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter();
  }

  override createDriver(): Driver {
    return this.#driver;
  }
}

class EmbeddedAdapter extends SqliteAdapter {
  /** Migrates in one transaction, which SQLite can and Kysely leaves out: a gateway may be killed in every step. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly thread: SqliteThread;

  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.thread.execute(sql, parameters as SqliteValue[]);
    return { rows: rows as R[], ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }) };
  }

  streamQuery(): never {
    throw new Error("answers of the archive are bounded: they are not streamed");
  }
}

/** Opens a thread when all others are busy. Once as many are open as may be, callers wait in line. */
class ThreadsDriver implements Driver {
  readonly #file: string;
  readonly #most: number;
  /** All that are open; places of those that are being opened are in `#opening`. */
  readonly #threads = new Set<SqliteThread>();
  #opening = 0;
  readonly #idle: ThreadConnection[];
  readonly #waiting: PromiseWithResolvers<ThreadConnection>[] = [];

  constructor(file: string, { first, most }: { first: SqliteThread; most: number }) {
    this.#file = file;
    this.#most = most;
    this.#threads.add(first);
    this.#idle = [new ThreadConnection(first)];
  }

  async init(): Promise<void> {
    // The first thread is open.
  }

  async acquireConnection(): Promise<ThreadConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#threads.size + this.#opening < this.#most) return await this.#openAnother();
    const turn = Promise.withResolvers<ThreadConnection>();
    this.#waiting.push(turn);
    return await turn.promise;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const released = connection as ThreadConnection;
    const next = this.#waiting.shift();
    if (released.thread.hasFailed) {
      this.#threads.delete(released.thread);
      if (next) await this.#openAnother().then(next.resolve, next.reject);
    } else if (next) next.resolve(released);
    else this.#idle.push(released);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("BEGIN"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("ROLLBACK"));
  }

  async destroy(): Promise<void> {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error("the archive is closed"));
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  async #openAnother(): Promise<ThreadConnection> {
    this.#opening += 1;
    try {
      const thread = await SqliteThread.open(this.#file);
      this.#threads.add(thread);
      return new ThreadConnection(thread);
    } finally {
      this.#opening -= 1;
    }
  }
}
