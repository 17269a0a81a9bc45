import { sql, type Transaction } from "kysely";
import { Migrator } from "kysely/migration";
import type { Clock } from "../../lib/clock.ts";
import { pullRequestSums } from "./figures/pull-request-sums.ts";
import { sessionSums } from "./figures/session-sums.ts";
import { sumUp } from "./figures/sum-up.ts";
import type { Summed } from "./figures/sums.ts";
import { storable } from "./schema/columns.ts";
import { isPostgresql } from "./schema/engine.ts";
import { migrations } from "./schema/migrations.ts";
import { partitionsOf } from "./schema/months.ts";
import { deleteOldest, deleteOldestOf } from "./delete-rows.ts";
import { markGone, putPullRequests, putRuns, putSessions } from "./put-rows.ts";
import { sizeUpUnsized, takeSizes } from "./sizes.ts";
import type { Excess } from "./trim/next-to-trim.ts";
import { forgetTrimmed, noteTrimmed } from "./trimmed.ts";
import type { Database } from "./open-archive.ts";
import {
  type ArchivedTable,
  archivedTables,
  columnsOf,
  type PullRequestRow,
  type RunRow,
  type SessionRow,
  type Tables,
} from "./schema/tables.ts";

export interface Batch {
  runs: readonly RunRow[];
  sessions: readonly SessionRow[];
  pullRequests?: readonly PullRequestRow[];
}

/** A later term has begun: another replica writes. */
export class TermOverError extends Error {
  override readonly name = "TermOverError";

  constructor(term: number) {
    super(`another replica has begun to write the archive after term ${term}`);
  }
}

const dayMs = 86_400_000;
/** Rows of one statement: SQLite takes 32,766 values. */
const rowsAtOnce = 500;

/**
 * Writes the archive. Every write names the term of its writer and is refused with a {@link TermOverError} when a later
 * term has begun, so that a replica that was held up never overwrites what is newer. Methods reject with the engine's own
 * error when it is away; the same call may be made again.
 */
export class ArchiveStore {
  readonly #db: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(db: Database, clock: Pick<Clock, "now">) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Brings the schema up to date and begins a term; all earlier ones are over. */
  async begin(): Promise<number> {
    const provider = { getMigrations: () => Promise.resolve(migrations) };
    const { error } = await new Migrator({ db: this.#db, provider }).migrateToLatest();
    if (error !== undefined) throw error as Error;
    return this.#db.transaction().execute(async (transaction) => {
      const { term } = await transaction
        .updateTable("writer")
        .set(({ eb }) => ({ term: eb("term", "+", 1) }))
        .returning("term")
        .executeTakeFirstOrThrow();
      await sumUpUnsummed(transaction, sessionSums);
      await sumUpUnsummed(transaction, pullRequestSums);
      await sizeUpUnsized(transaction);
      return term;
    });
  }

  /** Stores all rows, or none, each with what of its texts any engine can store. A row takes the place of the one with its UID. */
  async write(term: number, batch: Batch): Promise<void> {
    const runs = batch.runs.map((row) => storable(columnsOf.runs, row));
    const sessions = batch.sessions.map((row) => storable(columnsOf.sessions, row));
    const pullRequests = (batch.pullRequests ?? []).map((row) => storable(columnsOf.pull_requests, row));
    await this.#within(term, async (transaction) => {
      for (const part of inParts(runs)) await putRuns(transaction, part);
      for (const part of inParts(sessions)) await putSessions(transaction, part);
      for (const part of inParts(pullRequests)) await putPullRequests(transaction, part);
    });
  }

  /** Marks rows whose object is gone without the writer having seen it; `isLive` tells those that are not. */
  async noteGone(
    term: number,
    table: ArchivedTable,
    { namespaces, isLive }: { namespaces: readonly string[]; isLive: (uid: string) => boolean },
  ): Promise<void> {
    const all = this.#db.selectFrom(table).select("uid").where("gone_ms", "is", null);
    const known = await (namespaces.length === 0 ? all : all.where("namespace", "in", namespaces)).execute();
    const gone = known.map(({ uid }) => uid).filter((uid) => !isLive(uid));
    const goneMs = this.#clock.now().getTime();
    await this.#within(term, async (transaction) => {
      for (const part of inParts(gone)) {
        await markGone(transaction, table, { uids: part, goneMs });
      }
    });
  }

  /** Deletes rows of objects that are gone and were created before an instant, sums of the days before it, and what is noted of it. */
  async expire(term: number, createdBeforeMs: number): Promise<void> {
    await this.#within(term, async (transaction) => {
      for (const sums of ["session_sums", "pull_request_sums"] as const) {
        await transaction
          .deleteFrom(sums)
          .where("begin_ms", "<", createdBeforeMs - dayMs)
          .execute();
      }
      await forgetTrimmed(transaction, createdBeforeMs);
    });
    for (const table of archivedTables) while (await this.#expireSome(term, table, createdBeforeMs));
    if (!isPostgresql(this.#db)) return;
    for (const table of archivedTables) await this.#dropMonths(term, table, createdBeforeMs);
  }

  /** Deletes rows that a transaction of its own can take; returns whether there may be more. */
  async #expireSome(term: number, table: ArchivedTable, createdBeforeMs: number): Promise<boolean> {
    let deleted = 0;
    await this.#within(term, async (transaction) => {
      const freed = await deleteOldest(transaction, table, { createdBeforeMs, most: rowsAtOnce });
      await takeSizes(transaction, freed);
      deleted = freed.length;
    });
    return deleted === rowsAtOnce;
  }

  /** Bytes that each namespace has. */
  async sizes(): Promise<Map<string, number>> {
    const rows = await this.#db.selectFrom("sizes").selectAll().execute();
    return new Map(rows.map(({ namespace, bytes }) => [namespace, bytes]));
  }

  /**
   * Deletes rows of a namespace whose objects are gone, the oldest first, until so many bytes are free or a transaction has
   * taken what it can, and notes up to where history was taken away. Returns how many there were: 0 when there is none to delete.
   */
  async trim(term: number, excess: Excess): Promise<{ rows: number; bytes: number }> {
    let rows = 0;
    let bytes = 0;
    await this.#within(term, async (transaction) => {
      const deleted = await deleteOldestOf(transaction, { ...excess, most: rowsAtOnce });
      rows = deleted.length;
      bytes = deleted.reduce((sum, row) => sum + row.bytes, 0);
      if (rows === 0) return;
      await noteTrimmed(transaction, excess, Math.max(...deleted.map(({ createdMs }) => createdMs)));
    });
    return { rows, bytes };
  }

  /** Drops partitions of PostgreSQL that are past and empty; one that is in use stays until the next time. */
  async #dropMonths(term: number, table: ArchivedTable, createdBeforeMs: number): Promise<void> {
    for (const { name, untilMs } of await partitionsOf(this.#db, table)) {
      if (untilMs > createdBeforeMs) continue;
      await this.#within(term, (transaction) => dropIfEmpty(transaction, name)).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
      });
    }
  }

  /** The row of the term is locked until the transaction ends, so a later term begins before or after it. */
  async #within(term: number, work: (transaction: Transaction<Tables>) => Promise<void>): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable("writer")
        .set({ term })
        .where("term", "=", term)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new TermOverError(term);
      await work(transaction);
    });
  }
}

/** A migration leaves sums empty when it changes what they are. */
async function sumUpUnsummed<Sums>(transaction: Transaction<Tables>, kind: Summed<Sums>): Promise<void> {
  const summed = await transaction.selectFrom(kind.sums).select("span").limit(1).executeTakeFirst();
  if (!summed) await sumUp(transaction, kind);
}

async function dropIfEmpty(transaction: Transaction<Tables>, partition: string): Promise<void> {
  await sql`SET LOCAL lock_timeout = '1s'`.execute(transaction);
  const { rows } = await sql`SELECT 1 FROM ${sql.table(partition)} LIMIT 1`.execute(transaction);
  if (rows.length === 0) await sql`DROP TABLE ${sql.table(partition)}`.execute(transaction);
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "55P03";
}

function inParts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, part) => {
    return all.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce);
  });
}
