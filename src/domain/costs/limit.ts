import type { Session } from "../../api/v1alpha1/session.ts";
import { settingsOf } from "../settings/effective.ts";
import { isAtOrOver } from "./amount.ts";

/** Cost of a session that has reached its limit, and the limit; both in US dollars. */
export interface ReachedLimit {
  costUsd: string;
  limitUsd: string;
}

/** Undefined below the limit, or without one. The session's own limit overrides the inherited one. */
export function reachedCostLimit({ spec, status }: Pick<Session, "spec" | "status">): ReachedLimit | undefined {
  const limitUsd = costLimitOf({ spec, status });
  const costUsd = status?.costUsd ?? "0";
  return limitUsd !== "" && isAtOrOver(costUsd, limitUsd) ? { costUsd, limitUsd } : undefined;
}

/** A session's current cost limit in US dollars; empty for none. */
function costLimitOf({ spec, status }: Pick<Session, "spec" | "status">): string {
  return spec.settings?.maxSessionCostUsd ?? settingsOf({ status }).maxSessionCostUsd;
}
