import { sql } from "kysely";
import type { Invocation } from "../../automations/answers.ts";
import { invocationSources, type invocationStates } from "../../http/product-words.ts";
import { namespacedNameText } from "../../../lib/namespaced-name.ts";
import type { Database } from "../open-archive.ts";
import type { RunRow, SessionRow } from "../schema/tables.ts";
import { archivedPushes } from "./archived-pushes.ts";

/**
 * Of a Run that was skipped and its copy of the same namespace, which is made later, the copy counts. Not a join, for which PostgreSQL would read
 * all copies.
 */
export const isCounted = sql<boolean>`(SELECT 1 FROM runs AS copies
  WHERE copies.copy_of = runs.uid AND copies.namespace = runs.namespace AND copies.created_ms >= runs.created_ms LIMIT 1) IS NULL`;

/** Between the clocks of controllers and API servers. */
const clocksApartMs = 86_400_000;

type ItsSession = Pick<SessionRow, "name" | "repository" | "state" | "outcome" | "gone_ms">;

/** Rows of Runs as the REST API shows them, each with the sessions of its own namespace. Rejects with the engine's own error. */
export async function invocationsOf<Row extends RunRow>(
  db: Database,
  rows: readonly Row[],
): Promise<{ row: Row; invocation: Invocation }[]> {
  if (rows.length === 0) return [];
  const sessions = await db
    .selectFrom("sessions")
    .select(["namespace", "run_uid", "name", "repository", "state", "outcome", "gone_ms"])
    // A Run has its sessions while it goes on: months before and after need not be looked through.
    .where("created_ms", ">=", Math.min(...rows.map(({ created_ms }) => created_ms)))
    .where("created_ms", "<=", Math.max(...rows.map(({ ended_ms }) => (ended_ms ?? Date.UTC(9_999)) + clocksApartMs)))
    .where(
      "run_uid",
      "in",
      rows.map(({ uid }) => uid),
    )
    .orderBy("name")
    .execute();
  const ofRun = Map.groupBy(sessions, ({ namespace, run_uid }) => `${namespace}/${run_uid ?? ""}`);
  return rows.map((row) => ({
    row,
    invocation: shownInvocation(row, ofRun.get(`${row.namespace}/${row.uid}`) ?? []),
  }));
}

function shownInvocation(row: RunRow, sessions: readonly ItsSession[]): Invocation {
  const { summary, branch, commit_id: commit } = row;
  const pushes = archivedPushes(row.pushes);
  const isEmpty = summary === null && branch === null && commit === null && pushes.length === 0;
  const isSkipped = row.state === "skipped";
  return {
    id: row.name,
    automationId: namespacedNameText({ namespace: row.namespace, name: row.automation }),
    source: invocationSources[row.trigger_type as keyof typeof invocationSources],
    status: row.state as (typeof invocationStates)[number],
    skipReason: isSkipped ? row.reason : null,
    failureReason: isSkipped ? null : row.reason,
    message: row.message,
    createdAt: row.created_ms,
    scheduledAt: row.trigger_type === "Schedule" ? row.accepted_ms : null,
    startedAt: row.started_ms,
    completedAt: row.ended_ms,
    executionDeadlineAt: null,
    deliveryId: row.delivery_id,
    result: isEmpty ? null : { summary, branch, commit, pushes },
    runs: sessions.map(shownSession),
    goneAt: row.gone_ms,
  };
}

function shownSession({ name, repository, state, outcome, gone_ms }: ItsSession): Invocation["runs"][number] {
  const isRunning = gone_ms === null && state !== "idle";
  return {
    id: name,
    target: repository === null ? null : `Repository/${repository}`,
    state: outcome === "completed" ? "completed" : isRunning ? "running" : "failed",
    failureReason: null,
  };
}
