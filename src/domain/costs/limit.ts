import type { Session } from "../../api/v1alpha1/session.ts";
import { settingsOf } from "../settings/effective.ts";
import { isAtOrOver } from "./amount.ts";

/**
 * Cost of a session that has reached its limit, and the limit; both in US dollars. Undefined below the limit, or without
 * one. The session's own limit overrides the inherited one.
 */
export function reachedCostLimit({
  spec,
  status,
}: Pick<Session, "spec" | "status">): { costUsd: string; limitUsd: string } | undefined {
  // Empty for none.
  const limitUsd = spec.settings?.maxSessionCostUsd ?? settingsOf({ status }).maxSessionCostUsd;
  const costUsd = status?.costUsd ?? "0";
  return limitUsd !== "" && isAtOrOver(costUsd, limitUsd) ? { costUsd, limitUsd } : undefined;
}
