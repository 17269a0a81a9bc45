import { amountOf } from "../../../domain/costs/amount.ts";
import type { Breakdown } from "../answers.ts";
import type { Grouping } from "../inputs.ts";
import type { Database } from "../open-archive.ts";
import { rateOf } from "./completion-rate.ts";
import { type Group, largestGroups } from "./groups.ts";
import type { Selected } from "./window.ts";

/** Figures of the selected sessions by group, most sessions first. Rejects with the engine's own error. */
export async function breakDown(
  db: Database,
  by: Grouping,
  { selected, limit }: { selected: Selected; limit: number },
): Promise<Breakdown> {
  const groups = await largestGroups(db, by, { selected, most: limit + 1 });
  const entries = groups.slice(0, limit).map((group) => entryOf(group, selected.untilMs));
  return { by, entries, hasMore: groups.length > limit };
}

function entryOf(group: Group, nowMs: number): Breakdown["entries"][number] {
  const { key, namespace, displayName, sessions, completed, failed, cancelled } = group;
  const lastMs = group.active > 0 ? nowMs : group.last_ms;
  return {
    key,
    namespace,
    displayName,
    sessions,
    completed,
    failed,
    cancelled,
    completionRate: rateOf(group),
    costUsd: amountOf(BigInt(group.cost_micro)),
    messageCount: group.messages,
    avgDurationMs: group.ended === 0 ? null : Math.round(group.ended_after_ms / group.ended),
    lastActiveAt: key === null ? null : lastMs,
  };
}
