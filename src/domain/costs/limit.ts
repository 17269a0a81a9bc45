import type { Session } from "../../api/v1alpha1/session.ts";
import { settingsOf } from "../settings/effective.ts";
import { isAtOrOver } from "./amount.ts";

/** What a session has cost, and the limit that it has come to; both in US dollars. */
export interface ReachedLimit {
  costUsd: string;
  limitUsd: string;
}

/** The limit that a session has reached, if it has one; its own limit counts over the one that it inherited. */
export function reachedCostLimit({ spec, status }: Pick<Session, "spec" | "status">): ReachedLimit | undefined {
  const limitUsd = costLimitOf({ spec, status });
  const costUsd = status?.costUsd ?? "0";
  return limitUsd !== "" && isAtOrOver(costUsd, limitUsd) ? { costUsd, limitUsd } : undefined;
}

/** A session's cost limit in US dollars as it is now; empty for none. */
export function costLimitOf({ spec, status }: Pick<Session, "spec" | "status">): string {
  return spec.settings?.maxSessionCostUsd ?? settingsOf({ status }).maxSessionCostUsd;
}
