import { Worker } from "node:worker_threads";

/** Milliseconds that a statement waits for another connection's write. */
const waitMs = 5_000;
/** MiB of an answer, roughly; a larger one costs its thread and nothing else. */
const mostMemoryMb = 128;

/** What an engine takes as a value of a statement. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteResult {
  rows: unknown[];
  /** How many rows were changed; undefined of a statement that gives rows. */
  changes?: number | bigint;
}

/** A statement failed. The message is SQLite's own. */
export class SqliteError extends Error {
  override readonly name = "SqliteError";
  /** SQLite's extended result code, such as 787; undefined where the statement did not reach it. */
  readonly errcode: number | undefined;

  constructor({ message, errcode }: { message: string; errcode?: number }) {
    super(message);
    this.errcode = errcode;
  }
}

type Answer = SqliteResult | { failure: { message: string; errcode?: number } };

/** CommonJS: a worker of text alone needs no file of its own beside the program. */
const program = `
const { DatabaseSync } = require("node:sqlite");
const { parentPort, workerData } = require("node:worker_threads");

const database = new DatabaseSync(workerData.file, { timeout: workerData.waitMs });
// Readers do not wait for the writer, and a commit is on disk when it returns.
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");

function answer({ sql, parameters }) {
  try {
    const statement = database.prepare(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
    return { rows: [], changes: statement.run(...parameters).changes };
  } catch ({ message, errcode }) {
    return { failure: { message, errcode } };
  }
}

parentPort.on("message", (order) => {
  if (order !== "close") return parentPort.postMessage(answer(order));
  database.close();
  parentPort.close();
});
parentPort.postMessage({ rows: [] });
`;

/**
 * A connection to a file of SQLite's in a thread of its own, as a statement holds its thread until it is done. It does one statement
 * at a time. A program that has nothing else to wait for ends while no statement is under way.
 */
export class SqliteThread {
  readonly #worker: Worker;
  #answered: PromiseWithResolvers<SqliteResult> | undefined;
  #failed: Error | undefined;

  private constructor(file: string) {
    this.#worker = new Worker(program, {
      eval: true,
      workerData: { file, waitMs },
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    this.#worker.on("message", (answer: Answer) => {
      if ("failure" in answer) this.#answer().reject(new SqliteError(answer.failure));
      else this.#answer().resolve(answer);
    });
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread of the archive's file has ended")));
  }

  /** Opens the file, or makes it. Rejects when it cannot be written. */
  static async open(file: string): Promise<SqliteThread> {
    const thread = new SqliteThread(file);
    await thread.#wait();
    return thread;
  }

  /** Whether it ended without being asked to, so that another has to take its place. */
  get hasFailed(): boolean {
    return this.#failed !== undefined;
  }

  /** Rejects with a {@link SqliteError}, or with why the thread ended; a transaction under way is rolled back then. */
  async execute(sql: string, parameters: readonly SqliteValue[]): Promise<SqliteResult> {
    if (this.#failed) throw this.#failed;
    const answered = this.#wait();
    this.#worker.postMessage({ sql, parameters });
    return await answered;
  }

  async close(): Promise<void> {
    if (this.#failed) return;
    const ended = new Promise((resolve) => void this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await ended;
  }

  #wait(): Promise<SqliteResult> {
    this.#answered = Promise.withResolvers<SqliteResult>();
    this.#worker.ref();
    return this.#answered.promise;
  }

  #answer(): Pick<PromiseWithResolvers<SqliteResult>, "resolve" | "reject"> {
    const answered = this.#answered ?? Promise.withResolvers<SqliteResult>();
    this.#answered = undefined;
    this.#worker.unref();
    return answered;
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    this.#answered?.reject(this.#failed);
    this.#answered = undefined;
  }
}
