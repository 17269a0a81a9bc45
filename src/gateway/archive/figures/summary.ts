import { sql } from "kysely";
import { amountOf } from "../../../domain/costs/amount.ts";
import type { Summary } from "../answers.ts";
import type { Database } from "../open-archive.ts";
import { rateOf } from "./completion-rate.ts";
import { sessionSumsOf, sumColumns } from "./session-sums.ts";
import { sumOf } from "./sums.ts";
import type { Selected } from "./window.ts";

const added = sumColumns.filter((column) => column !== "last_ms");

/** Figures of the selected sessions. Rejects with the engine's own error. */
export async function summarize(db: Database, selected: Selected): Promise<Summary> {
  const row = await db
    .selectFrom(sessionSumsOf("user", selected, added))
    .select(added.map((column) => sumOf(column).as(column)))
    .select(sql<number>`count(DISTINCT CASE WHEN sessions > 0 AND key <> '' THEN key END)`.as("users"))
    .executeTakeFirstOrThrow();
  const sum = (column: (typeof added)[number]): number => row[column];
  const [totalSessions, active, archived] = [sum("sessions"), sum("active"), sum("archived")];
  const idle = {
    completed: sum("idle_completed"),
    failed: sum("idle_failed"),
    cancelled: sum("idle_cancelled"),
  };
  const created = totalSessions - active - archived - idle.completed - idle.failed - idle.cancelled;
  const outcomes = { completed: sum("completed"), failed: sum("failed"), cancelled: sum("cancelled") };
  const costMicro = BigInt(sum("cost_micro"));
  return {
    totalSessions,
    activeUsers: row.users,
    totalMessages: sum("messages"),
    totalCostUsd: amountOf(costMicro),
    avgCostUsd: amountOf(totalSessions === 0 ? 0n : costMicro / BigInt(totalSessions)),
    statusBreakdown: { created, active, ...idle, archived },
    outcomes,
    completionRate: rateOf(outcomes),
  };
}
