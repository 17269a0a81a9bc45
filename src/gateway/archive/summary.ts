import { sql } from "kysely";
import { amountOf } from "../../domain/costs/amount.ts";
import type { Database } from "./open-archive.ts";
import type { Summary } from "./operations.ts";

export interface Selected {
  /** Left out: all. */
  namespace?: string | undefined;
  /** The first instant that counts, and the first one that no longer does, in milliseconds since 1970. */
  fromMs: number;
  untilMs: number;
  /** Left out: every source. */
  source?: string | undefined;
}

/** Figures of the sessions that were created in a window. Rejects with the engine's own error. */
export async function summarize(db: Database, selected: Selected): Promise<Summary> {
  const status = sql<keyof Summary["statusBreakdown"]>`CASE WHEN gone_ms IS NOT NULL THEN 'archived'
    WHEN state = 'active' THEN 'active' ELSE coalesce(outcome, 'created') END`;
  const groups = await select(db, selected)
    .select([status.as("status"), "outcome"])
    .select(({ fn }) => [
      fn.countAll().as("sessions"),
      fn.sum("cost_micro").as("costMicro"),
      fn.sum("messages").as("messages"),
    ])
    .groupBy([status, "outcome"])
    .execute();
  const users = await select(db, selected)
    .select(({ fn }) => fn.count("requested_by").distinct().as("users"))
    .executeTakeFirstOrThrow();
  const sum = (of: (group: (typeof groups)[number]) => unknown, among = groups): number =>
    among.reduce((total, group) => total + Number(of(group)), 0);
  const sessions = (among: typeof groups): number => sum((group) => group.sessions, among);
  const inStatus = (wanted: string): number => sessions(groups.filter((group) => group.status === wanted));
  const withOutcome = (wanted: string): number => sessions(groups.filter((group) => group.outcome === wanted));
  const outcomes = {
    completed: withOutcome("completed"),
    failed: withOutcome("failed"),
    cancelled: withOutcome("cancelled"),
  };
  const ended = outcomes.completed + outcomes.failed + outcomes.cancelled;
  const totalSessions = sessions(groups);
  const costMicro = BigInt(sum((group) => group.costMicro));
  return {
    totalSessions,
    activeUsers: Number(users.users),
    totalMessages: sum((group) => group.messages),
    totalCostUsd: amountOf(costMicro),
    avgCostUsd: amountOf(totalSessions === 0 ? 0n : costMicro / BigInt(totalSessions)),
    statusBreakdown: {
      created: inStatus("created"),
      active: inStatus("active"),
      completed: inStatus("completed"),
      failed: inStatus("failed"),
      cancelled: inStatus("cancelled"),
      archived: inStatus("archived"),
    },
    outcomes,
    completionRate: ended === 0 ? null : outcomes.completed / ended,
  };
}

function select(db: Database, { namespace, fromMs, untilMs, source }: Selected) {
  const window = db.selectFrom("sessions").where("created_ms", ">=", fromMs).where("created_ms", "<", untilMs);
  const within = namespace === undefined ? window : window.where("namespace", "=", namespace);
  return source === undefined ? within : within.where("source", "=", source);
}
