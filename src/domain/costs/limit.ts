import type { Session } from "../../api/v1alpha1/session.ts";
import { settingsOf } from "../settings/effective.ts";
import { isAtOrOver } from "./amount.ts";

/** The cost limit of a session and its family in US dollars, empty for none; its own overrides the inherited one. */
export function costLimitOf({ spec, status }: Pick<Session, "spec" | "status">): string {
  return spec.settings?.maxSessionCostUsd ?? settingsOf({ status }).maxSessionCostUsd;
}

/** A cost that has reached its limit; both in US dollars. */
export interface ReachedLimit {
  costUsd: string;
  limitUsd: string;
}

/** Undefined below the limit, or without one (empty). */
export function reachedLimit(costUsd: string, limitUsd: string): ReachedLimit | undefined {
  return limitUsd !== "" && isAtOrOver(costUsd, limitUsd) ? { costUsd, limitUsd } : undefined;
}

/** Both figures, for people; a child's family has the limit of the `root` above it. */
export function reachedMessage(
  { costUsd, limitUsd }: ReachedLimit,
  family: { root?: Pick<Session, "metadata"> | undefined } | undefined,
): string {
  const spender = family ? "the session and its family have" : "the session has";
  const limit = family?.root
    ? `the maxSessionCostUsd of its root session ${family.root.metadata.name ?? ""}`
    : "its maxSessionCostUsd";
  return `${spender} cost ${costUsd} USD and ${limit} is ${limitUsd}`;
}
