import { type RawBuilder, sql, type Transaction } from "kysely";
import { pullRequestSums } from "./figures/pull-request-sums.ts";
import { sessionSums } from "./figures/session-sums.ts";
import { addSums, type Summed } from "./figures/sums.ts";
import { isPostgresql } from "./schema/engine.ts";
import { ensureMonths } from "./schema/months.ts";
import type { ArchivedTable, PullRequestRow, RunRow, SessionRow, Tables } from "./schema/tables.ts";
import { addSizes } from "./sizes.ts";

/** Stores rows in the place of those with their UIDs. History empties a Run of its result, which stays here. */
export async function putRuns(transaction: Transaction<Tables>, rows: readonly RunRow[]): Promise<void> {
  if (isPostgresql(transaction)) await ensureMonths(transaction, "runs", rows);
  await sizedAnew(transaction, "runs", { where: theseRows(rows), write: () => insertRuns(transaction, rows) });
}

async function insertRuns(transaction: Transaction<Tables>, rows: readonly RunRow[]): Promise<void> {
  await transaction
    .insertInto("runs")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(rowKey(transaction)).doUpdateSet((eb) => ({
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
        pushes: eb.fn.coalesce("excluded.pushes", "runs.pushes"),
        gone_ms: eb.ref("excluded.gone_ms"),
      })),
    )
    .execute();
}

/** Stores rows in the place of those with their UIDs. Prompts may go before their session, and what they told of it stays. */
export async function putSessions(transaction: Transaction<Tables>, rows: readonly SessionRow[]): Promise<void> {
  if (isPostgresql(transaction)) await ensureMonths(transaction, "sessions", rows);
  const where = theseRows(rows);
  const insert = () => insertSessions(transaction, rows);
  const write = () => sizedAnew(transaction, "sessions", { where, write: insert });
  await summedAnew(transaction, sessionSums, { where, write });
}

async function insertSessions(transaction: Transaction<Tables>, rows: readonly SessionRow[]): Promise<void> {
  await transaction
    .insertInto("sessions")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(rowKey(transaction)).doUpdateSet((eb) => ({
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

/**
 * Stores rows in the place of those with their UIDs. A Session may go before its pull requests, and what it told of them
 * stays; a merge is never undone.
 */
export async function putPullRequests(
  transaction: Transaction<Tables>,
  rows: readonly PullRequestRow[],
): Promise<void> {
  if (isPostgresql(transaction)) await ensureMonths(transaction, "pull_requests", rows);
  const where = theseRows(rows);
  const insert = () => insertPullRequests(transaction, rows);
  const write = () => sizedAnew(transaction, "pull_requests", { where, write: insert });
  await summedAnew(transaction, pullRequestSums, { where, write });
}

async function insertPullRequests(transaction: Transaction<Tables>, rows: readonly PullRequestRow[]): Promise<void> {
  await transaction
    .insertInto("pull_requests")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(rowKey(transaction)).doUpdateSet((eb) => ({
        namespace: eb.ref("excluded.namespace"),
        name: eb.ref("excluded.name"),
        session_uid: eb.ref("excluded.session_uid"),
        source: eb.fn.coalesce("excluded.source", "pull_requests.source"),
        repository: eb.ref("excluded.repository"),
        full_name: eb.ref("excluded.full_name"),
        number: eb.ref("excluded.number"),
        state: eb.ref("excluded.state"),
        cost_micro: eb.fn.coalesce("excluded.cost_micro", "pull_requests.cost_micro"),
        created_ms: eb.ref("excluded.created_ms"),
        merged_ms: eb.fn.coalesce("excluded.merged_ms", "pull_requests.merged_ms"),
        gone_ms: eb.ref("excluded.gone_ms"),
      })),
    )
    .execute();
}

/** Marks rows whose object is gone. */
export async function markGone(
  transaction: Transaction<Tables>,
  table: ArchivedTable,
  { uids, goneMs }: { uids: readonly string[]; goneMs: number },
): Promise<void> {
  const mark = async (): Promise<void> => {
    await transaction.updateTable(table).set({ gone_ms: goneMs }).where("uid", "in", uids).execute();
  };
  const summed = { where: sql`uid IN (${sql.join(uids)})`, write: mark };
  if (table === "sessions") await summedAnew(transaction, sessionSums, summed);
  // What became of a pull request says its provider: that its object is gone is in no sum.
  else await mark();
}

/** PostgreSQL wants in it what a table is divided by. */
function rowKey(transaction: Transaction<Tables>): ("uid" | "created_ms")[] {
  return isPostgresql(transaction) ? ["uid", "created_ms"] : ["uid"];
}

/** Writes rows and keeps their sums: what they were is taken away, what they are is added. */
async function summedAnew<Sums>(
  transaction: Transaction<Tables>,
  kind: Summed<Sums>,
  { where, write }: { where: RawBuilder<unknown>; write: () => Promise<void> },
): Promise<void> {
  await addSums(transaction, kind, { sign: -1, where });
  await write();
  await addSums(transaction, kind, { sign: 1, where });
}

/** Writes rows and keeps what their namespaces have, likewise. */
async function sizedAnew(
  transaction: Transaction<Tables>,
  table: ArchivedTable,
  { where, write }: { where: RawBuilder<unknown>; write: () => Promise<void> },
): Promise<void> {
  await addSizes(transaction, table, { sign: -1, where });
  await write();
  await addSizes(transaction, table, { sign: 1, where });
}

/** By creation, too: only their months are looked through. */
function theseRows(rows: readonly { uid: string; created_ms: number }[]): RawBuilder<unknown> {
  const created = rows.map(({ created_ms }) => created_ms);
  return sql`uid IN (${sql.join(rows.map(({ uid }) => uid))})
    AND created_ms >= ${Math.min(...created)} AND created_ms <= ${Math.max(...created)}`;
}
