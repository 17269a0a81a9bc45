import type { Transaction } from "kysely";
import { Migrator } from "kysely/migration";
import type { Clock } from "../../lib/clock.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./open-archive.ts";
import type { RunRow, SessionRow, Tables } from "./tables.ts";

export type ArchivedTable = "runs" | "sessions";

export interface Batch {
  runs: readonly RunRow[];
  sessions: readonly SessionRow[];
}

/** A later term has begun: another replica writes. */
export class TermOverError extends Error {
  override readonly name = "TermOverError";

  constructor(term: number) {
    super(`another replica has begun to write the archive after term ${term}`);
  }
}

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
    const { term } = await this.#db
      .updateTable("writer")
      .set(({ eb }) => ({ term: eb("term", "+", 1) }))
      .returning("term")
      .executeTakeFirstOrThrow();
    return term;
  }

  /** Stores all rows, or none. A row takes the place of the one with its UID. */
  async write(term: number, { runs, sessions }: Batch): Promise<void> {
    await this.#within(term, async (transaction) => {
      for (const part of inParts(runs)) await putRuns(transaction, part);
      for (const part of inParts(sessions)) await putSessions(transaction, part);
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
    const gone_ms = this.#clock.now().getTime();
    await this.#within(term, async (transaction) => {
      for (const part of inParts(gone)) {
        await transaction.updateTable(table).set({ gone_ms }).where("uid", "in", part).execute();
      }
    });
  }

  /** Deletes rows of objects that are gone and were created before an instant. */
  async expire(term: number, createdBeforeMs: number): Promise<void> {
    await this.#within(term, async (transaction) => {
      for (const table of ["runs", "sessions"] as const) {
        await transaction
          .deleteFrom(table)
          .where("created_ms", "<", createdBeforeMs)
          .where("gone_ms", "is not", null)
          .execute();
      }
    });
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

/** History empties a Run of its result, which stays here. */
async function putRuns(transaction: Transaction<Tables>, rows: readonly RunRow[]): Promise<void> {
  await transaction
    .insertInto("runs")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("uid").doUpdateSet((eb) => ({
        namespace: eb.ref("excluded.namespace"),
        name: eb.ref("excluded.name"),
        copy_of: eb.ref("excluded.copy_of"),
        automation: eb.ref("excluded.automation"),
        automation_uid: eb.ref("excluded.automation_uid"),
        trigger_type: eb.ref("excluded.trigger_type"),
        state: eb.ref("excluded.state"),
        reason: eb.ref("excluded.reason"),
        message: eb.ref("excluded.message"),
        delivery_id: eb.ref("excluded.delivery_id"),
        requested_by: eb.ref("excluded.requested_by"),
        created_ms: eb.ref("excluded.created_ms"),
        accepted_ms: eb.ref("excluded.accepted_ms"),
        started_ms: eb.ref("excluded.started_ms"),
        ended_ms: eb.ref("excluded.ended_ms"),
        summary: eb.fn.coalesce("excluded.summary", "runs.summary"),
        branch: eb.fn.coalesce("excluded.branch", "runs.branch"),
        commit_id: eb.fn.coalesce("excluded.commit_id", "runs.commit_id"),
        gone_ms: eb.ref("excluded.gone_ms"),
      })),
    )
    .execute();
}

/** Prompts may go before their session, and what they told of it stays. */
async function putSessions(transaction: Transaction<Tables>, rows: readonly SessionRow[]): Promise<void> {
  await transaction
    .insertInto("sessions")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("uid").doUpdateSet((eb) => ({
        namespace: eb.ref("excluded.namespace"),
        name: eb.ref("excluded.name"),
        title: eb.ref("excluded.title"),
        source: eb.ref("excluded.source"),
        run_uid: eb.ref("excluded.run_uid"),
        automation_uid: eb.ref("excluded.automation_uid"),
        parent_uid: eb.ref("excluded.parent_uid"),
        requested_by: eb.fn.coalesce("sessions.requested_by", "excluded.requested_by"),
        repository: eb.ref("excluded.repository"),
        state: eb.ref("excluded.state"),
        outcome: eb.fn.coalesce("excluded.outcome", "sessions.outcome"),
        messages: eb.ref("excluded.messages"),
        cost_micro: eb.ref("excluded.cost_micro"),
        created_ms: eb.ref("excluded.created_ms"),
        idle_ms: eb.ref("excluded.idle_ms"),
        gone_ms: eb.ref("excluded.gone_ms"),
      })),
    )
    .execute();
}

function inParts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, part) => {
    return all.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce);
  });
}
