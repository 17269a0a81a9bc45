import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { excessOf, greaterAmount, sumOfAmounts } from "../../../domain/costs/amount.ts";
import { costLimitOf, type ReachedLimit, reachedLimit } from "../../../domain/costs/limit.ts";
import { succeededOf } from "../../../domain/prompts/prompt-state.ts";

/** The other sessions of a family. */
export interface FamilyCost {
  /** The session at its top, whose cost limit counts; left out where that is this session. */
  root?: Session | undefined;
  /** What they have cost, as far as is known, in US dollars. */
  othersCostUsd: string;
}

/**
 * The status with what its sandbox has cost by now: the highest of what the gateway noted and what prompts that leave the
 * queue say. Only what is more than counted before is added, so that nothing counts twice.
 */
export function foldCost(
  { lease }: { lease?: { costUsd?: string | undefined } | undefined },
  status: SessionStatus,
  { left, now }: { left: readonly Prompt[]; now: Date },
): SessionStatus {
  const usages = left.flatMap((prompt) => prompt.status?.usage ?? []);
  const readings = [...usages.map(({ sandboxCostUsd }) => sandboxCostUsd), lease?.costUsd].filter(isKnown);
  // Runtimes of earlier versions say what each prompt has cost, and no more.
  const unmetered = usages.filter(({ sandboxCostUsd }) => !isKnown(sandboxCostUsd)).map((usage) => usage.costUsd);
  const added = unmetered.filter(isKnown);
  if (readings.length === 0 && added.length === 0) return status;
  const before = status.sandbox?.costUsd ?? "0";
  const costUsd = readings.reduce(greaterAmount, sumOfAmounts([before, ...added]));
  if (status.sandbox?.costUsd === costUsd) return status;
  return {
    ...status,
    costUsd: sumOfAmounts([status.costUsd ?? "0", excessOf(costUsd, before)]),
    ...(status.sandbox && { sandbox: { ...status.sandbox, costUsd, costTime: now.toISOString() } }),
  };
}

function isKnown(amount: string | undefined): amount is string {
  return amount !== undefined;
}

/** How often a cost that grows is worth a write that only people read, in milliseconds. */
const costShownMs = 60_000;

/** When a cost that is not stored yet is shown at the latest (milliseconds since 1970); undefined: none is to be. */
export function costShownAt(stored: Sandbox | undefined, { costUsd, endTime, readyTime }: Sandbox): number | undefined {
  if (costUsd === undefined || endTime !== undefined || stored?.costUsd === costUsd) return undefined;
  const since = stored?.costTime ?? readyTime;
  return since === undefined ? undefined : Date.parse(since) + costShownMs;
}

interface CostFacts {
  session: Pick<Session, "spec">;
  family?: FamilyCost | undefined;
}

/** The limit that the session, or its family with the session, has reached. */
export function reachedCost({ session, family }: CostFacts, status: SessionStatus): ReachedLimit | undefined {
  const costUsd = sumOfAmounts([status.costUsd ?? "0", family?.othersCostUsd ?? "0"]);
  return reachedLimit(costUsd, limitOf({ session, family }, status));
}

function limitOf({ session, family }: CostFacts, status: SessionStatus): string {
  return costLimitOf(family?.root ?? { spec: session.spec, status });
}

const agentEnds: ReadonlySet<string> = new Set([reasons.completed, reasons.failed, reasons.executionTimeout]);

/** Why the cost limit bounds nothing, for people; undefined where it does, or there is none. */
export function unenforcedLimit(
  facts: CostFacts & { prompts: readonly Prompt[] },
  status: SessionStatus,
): string | undefined {
  const limitUsd = limitOf(facts, status);
  if (limitUsd === "" || status.costUsd !== undefined) return undefined;
  const isKnownNow = facts.prompts.some((prompt) => agentEnds.has(succeededOf(prompt)?.reason ?? ""));
  if (!isKnownNow) return undefined;
  return `maxSessionCostUsd is ${limitUsd} and bounds nothing: the agent has ended a prompt without having reported a cost`;
}
