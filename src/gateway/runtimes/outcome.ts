import type { PromptOutcome } from "../../api/runtime/messages.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { Result, Usage } from "../../api/v1alpha1/outcome.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { amountText } from "../../domain/costs/amount.ts";
import { type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { succeededOf } from "../../domain/prompts/prompt-state.ts";

type Status = NonNullable<Prompt["status"]>;

/** A valid branch name (git-check-ref-format), as far as a pattern can check it. */
const branchName = /^(?!\/|.*(?:\/\/|\.\.|@\{|\/\.|\.lock(?:\/|$)|[/.]$))[^\p{Cc} ~^:?*[\\]{1,255}$/u;
const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The result of an outcome, without invalid values. */
export function resultOf(outcome: PromptOutcome): Result {
  const summary = plainText(outcome.summary ?? "", protocolLimits.summaryCharacters).trim();
  const { branch, commit } = outcome;
  return {
    ...(summary === "" ? {} : { summary }),
    ...(branch !== undefined && branchName.test(branch) ? { branch } : {}),
    ...(commit !== undefined && commitId.test(commit) ? { commit } : {}),
  };
}

/** Usage of a prompt; the price is decimal text, as the API conventions forbid floating-point numbers. */
export function usageOf({ costUsd, sandboxCostUsd, ...tokens }: NonNullable<PromptOutcome["usage"]>): Usage {
  return {
    ...tokens,
    ...(costUsd === undefined || costUsd > protocolLimits.costUsd ? {} : { costUsd: amountText(costUsd) }),
    ...(sandboxCostUsd === undefined ? {} : { sandboxCostUsd: amountText(sandboxCostUsd) }),
  };
}

/** The status of a prompt that ends with this outcome now. */
export function settledStatus(
  prompt: Prompt,
  outcome: PromptOutcome,
  at: { now: Date; startTime?: string | undefined },
): Status {
  const succeeded = outcome.verdict === "succeeded";
  const judged = { reason: reasonOf[outcome.verdict], message: messageOf(outcome) };
  const verdict: Mark = { ...judged, type: conditionTypes.succeeded, status: succeeded ? "True" : "False" };
  // kstatus reads Stalled, so that tools see the failure of a one-shot object.
  const stalled: Mark = { ...judged, type: conditionTypes.stalled, status: "True" };
  const { generation } = prompt.metadata;
  const known = withoutConditions(prompt.status?.conditions, [conditionTypes.stalled, conditionTypes.reconciling]);
  return {
    ...prompt.status,
    conditions: withMarks(known, succeeded ? [verdict] : [verdict, stalled], { now: at.now, generation }),
    observedGeneration: generation ?? 0,
    startTime: prompt.status?.startTime ?? at.startTime,
    completionTime: at.now.toISOString(),
    result: resultOf(outcome),
    ...(outcome.usage ? { usage: usageOf(outcome.usage) } : {}),
  };
}

/**
 * The status of a settled prompt after another outcome: with the late result, and with the usage where it has none;
 * undefined if there is neither, as where the outcome is the one in the status.
 */
export function lateStatus(prompt: Prompt, outcome: PromptOutcome): Status | undefined {
  const status: Status = prompt.status ?? {};
  const late = {
    ...(status.usage === undefined && outcome.usage ? { usage: usageOf(outcome.usage) } : {}),
    ...(hasLateResult(prompt, outcome) ? { lateResult: resultOf(outcome) } : {}),
  };
  return Object.keys(late).length === 0 ? undefined : { ...status, ...late };
}

function hasLateResult(prompt: Prompt, outcome: PromptOutcome): boolean {
  const result = resultOf(outcome);
  const status: Status = prompt.status ?? {};
  if (outcome.verdict === "cancelled" || status.lateResult || Object.keys(result).length === 0) return false;
  const sameVerdict = succeededOf(prompt)?.reason === reasonOf[outcome.verdict];
  return !(sameVerdict && isSameResult(status.result ?? {}, result));
}

const reasonOf = {
  succeeded: reasons.completed,
  failed: reasons.failed,
  cancelled: reasons.cancelled,
} as const satisfies Record<PromptOutcome["verdict"], string>;

function messageOf(outcome: PromptOutcome): string {
  const message = plainText(outcome.message ?? "", protocolLimits.messageCharacters).trim();
  if (message !== "") return message;
  return { succeeded: "the agent finished", failed: "the agent failed", cancelled: "cancelled" }[outcome.verdict];
}

function isSameResult(a: Result, b: Result): boolean {
  return a.summary === b.summary && a.branch === b.branch && a.commit === b.commit;
}
