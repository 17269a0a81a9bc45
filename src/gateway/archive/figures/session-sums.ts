import { type AliasedRawBuilder, type RawBuilder, sql } from "kysely";
import type { Grouping } from "../inputs.ts";
import type { Selected } from "./window.ts";

/** What a number of sessions add up to. */
export interface SessionSums {
  sessions: number;
  /** Sessions whose object is there and that are at work. */
  active: number;
  /** Sessions whose object is gone. */
  archived: number;
  /** Sessions whose last prompt ended so; of those that are idle and there, in the columns of `idle_…` again. */
  completed: number;
  failed: number;
  cancelled: number;
  idle_completed: number;
  idle_failed: number;
  idle_cancelled: number;
  messages: number;
  cost_micro: number;
  /** Sessions that are idle or gone, and their milliseconds until then. */
  ended: number;
  ended_after_ms: number;
  /** The greatest instant at which one of them was created or went idle. */
  last_ms: number;
}

export interface GroupedSums extends SessionSums {
  /** An instant of the hour in which the sessions were created. */
  ms: number;
  namespace: string;
  /** What they are grouped by; empty where they have none. */
  key: string;
}

const keys: Record<Grouping, RawBuilder<string>> = {
  user: sql`coalesce(requested_by, '')`,
  repository: sql`coalesce(repository, '')`,
  automation: sql`coalesce(automation_uid, '')`,
};

const isThere = sql`gone_ms IS NULL`;
const isIdle = sql`gone_ms IS NULL AND state <> 'active'`;
const isEnded = sql`(gone_ms IS NOT NULL OR state = 'idle')`;

/** What one session adds. */
const added: Record<keyof SessionSums, RawBuilder<number>> = {
  sessions: sql`1`,
  active: oneWhere(sql`${isThere} AND state = 'active'`),
  archived: oneWhere(sql`gone_ms IS NOT NULL`),
  completed: oneWhere(sql`outcome = 'completed'`),
  failed: oneWhere(sql`outcome = 'failed'`),
  cancelled: oneWhere(sql`outcome = 'cancelled'`),
  idle_completed: oneWhere(sql`outcome = 'completed' AND ${isIdle}`),
  idle_failed: oneWhere(sql`outcome = 'failed' AND ${isIdle}`),
  idle_cancelled: oneWhere(sql`outcome = 'cancelled' AND ${isIdle}`),
  messages: sql`messages`,
  cost_micro: sql`cost_micro`,
  ended: oneWhere(isEnded),
  ended_after_ms: sql`CASE WHEN ${isEnded} THEN coalesce(idle_ms, gone_ms, created_ms) - created_ms ELSE 0 END`,
  last_ms: sql`coalesce(idle_ms, created_ms)`,
};

export const sumColumns = Object.keys(added) as (keyof SessionSums)[];

function oneWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/** The selected sessions, each with what it adds, as a table of its own. */
export function sumsOf(by: Grouping, selected: Selected): AliasedRawBuilder<GroupedSums, "sums"> {
  const { namespace, fromMs, untilMs, source } = selected;
  const within = sql.join(
    [
      sql`created_ms >= ${fromMs} AND created_ms < ${untilMs}`,
      ...(namespace === undefined ? [] : [sql`namespace = ${namespace}`]),
      ...(source === undefined ? [] : [sql`source = ${source}`]),
    ],
    sql` AND `,
  );
  const columns = sql.join(sumColumns.map((name) => sql`${added[name]} AS ${sql.ref(name)}`));
  return sql<GroupedSums>`(SELECT created_ms AS ms, namespace, ${keys[by]} AS key, ${columns} FROM sessions WHERE ${within})`.as(
    "sums",
  );
}
