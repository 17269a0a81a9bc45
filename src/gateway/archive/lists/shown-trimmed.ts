import { shownBytes } from "../../../lib/shown-bytes.ts";
import type { TrimmedHistory } from "../../http/answers.ts";
import type { TrimmedRow } from "../schema/tables.ts";

/** What was taken away of a namespace's history, as the REST API says it; `bytes` are what it has, null for nothing. */
export function shownTrimmed(row: TrimmedRow & { bytes: number | null }): TrimmedHistory {
  const { namespace, newest_ms: since, budget, budget_bytes: budgetBytes } = row;
  return { namespace, since, budget, budgetBytes, bytes: row.bytes ?? 0, message: messageOf(row) };
}

function messageOf({ namespace, newest_ms, budget, budget_bytes }: TrimmedRow): string {
  const who = budget === "namespace" ? "it" : "all namespaces together";
  return (
    `History of namespace ${namespace} is whole only after ${new Date(newest_ms).toISOString()}: ${who} had more than the ` +
    `${shownBytes(budget_bytes)} of the archive's budget, so that its oldest rows were deleted; ask the platform team for more (archive.budgets.${budget})`
  );
}
