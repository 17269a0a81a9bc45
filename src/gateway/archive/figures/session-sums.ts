import { sql } from "kysely";
import type { Grouping } from "../inputs.ts";
import type { SessionSums } from "../schema/tables.ts";
import { oneWhere, type Summed, sumsOf } from "./sums.ts";
import type { Selected } from "./window.ts";

const isIdle = sql`gone_ms IS NULL AND state <> 'active'`;
const isEnded = sql`(gone_ms IS NOT NULL OR state = 'idle')`;

/** Sessions by their creation. */
export const sessionSums: Summed<SessionSums> = {
  rows: "sessions",
  sums: "session_sums",
  way: "grouped_by",
  ways: {
    user: { at: "created_ms", key: sql`coalesce(requested_by, '')` },
    repository: { at: "created_ms", key: sql`coalesce(repository, '')` },
    automation: { at: "created_ms", key: sql`coalesce(automation_uid, '')` },
  } satisfies Record<Grouping, Summed<SessionSums>["ways"][string]>,
  needed: ["created_ms", "requested_by", "repository", "automation_uid"],
  added: {
    sessions: sql`1`,
    active: oneWhere(sql`gone_ms IS NULL AND state = 'active'`),
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
  },
  greatest: ["last_ms"],
};

export const sumColumns = Object.keys(sessionSums.added) as (keyof SessionSums)[];

/** The selected sessions in sums, by what they are grouped by. */
export function sessionSumsOf<Column extends keyof SessionSums>(
  by: Grouping,
  selected: Selected,
  wanted: readonly Column[],
) {
  return sumsOf(sessionSums, by, { selected, wanted });
}
