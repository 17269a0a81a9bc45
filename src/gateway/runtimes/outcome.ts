import type { PromptOutcome } from "../../api/runtime/messages.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainPullRequestText } from "../../api/runtime/pull-request-text.ts";
import { plainText } from "../../api/runtime/text.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { Result, Usage } from "../../api/v1alpha1/outcome.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";
import { amountText } from "../../domain/costs/amount.ts";
import { chooseMedia } from "../../domain/media/choose-media.ts";
import { shownFileName } from "../../domain/media/file-name.ts";
import { type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { succeededOf } from "../../domain/prompts/prompt-state.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { jsonEqual } from "../../lib/json-equal.ts";

type Status = NonNullable<Prompt["status"]>;

/** A valid branch name (git-check-ref-format), as far as a pattern can check it, without what {@link plainText} takes from texts. */
const branchName =
  /^(?!\/|.*(?:\/\/|\.\.|@\{|\/\.|\.lock(?:\/|$)|[/.]$))[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff ~^:?*[\\]{1,255}$/u;
const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Repositories have names of objects. */
const objectName = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;

function isPush({ repository, branch, commit }: NonNullable<PromptOutcome["pushes"]>[number]): boolean {
  return objectName.test(repository) && branchName.test(branch) && commitId.test(commit);
}

/** The result of an outcome, without invalid values. */
export function resultOf(outcome: PromptOutcome): Result {
  const summary = plainText(outcome.summary ?? "", protocolLimits.summaryCharacters).trim();
  const { branch, commit } = outcome;
  const pushes = outcome.pushes?.filter(isPush) ?? [];
  return {
    ...(summary === "" ? {} : { summary }),
    ...(branch !== undefined && branchName.test(branch) ? { branch } : {}),
    ...(commit !== undefined && commitId.test(commit) ? { commit } : {}),
    ...(pushes.length === 0 ? {} : { pushes }),
  };
}

/** What the agent wants the pull request of its branch to say; undefined without a branch, as it has no other. */
function pullRequestOf(outcome: PromptOutcome): Status["pullRequest"] {
  const text = outcome.pullRequest && plainPullRequestText(outcome.pullRequest);
  if (!text || resultOf(outcome).branch === undefined) return undefined;
  return {
    title: firstCharacters(text.title, protocolLimits.pullRequestTitleCharacters),
    body: firstCharacters(text.body, protocolLimits.pullRequestBodyCharacters),
  };
}

/** What the agent attached to its answer, within the limits of an answer. */
function mediaOf({ media }: PromptOutcome): Status["media"] {
  if (!media) return undefined;
  const { sent, leftOut } = chooseMedia(media.files.map((file) => ({ id: file.digest, ...file })));
  const files = sent.map(({ digest, mediaType, fileName, bytes }) => ({
    digest,
    mediaType,
    fileName: shownFileName(fileName, mediaType),
    bytes,
  }));
  return { files, leftOut: Math.min(leftOut + media.leftOut, mediaLimits.counted) };
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
  at: { now: Date; startTime?: string | undefined; reason?: Reason | undefined; takesMedia?: boolean },
): Status {
  const succeeded = outcome.verdict === "succeeded";
  const judged = { reason: at.reason ?? reasonOf[outcome.verdict], message: messageOf(outcome) };
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
    // Where the reason is the gateway's own, the agent reported nothing that is stored, and no policy has more to refuse.
    ...(at.reason === undefined && reportedBy(outcome, at.takesMedia === true)),
  };
}

/** What the agent reported. */
function reportedBy(
  outcome: PromptOutcome,
  takesMedia: boolean,
): Pick<Status, "result" | "pullRequest" | "media" | "usage"> {
  const pullRequest = pullRequestOf(outcome);
  const media = takesMedia ? mediaOf(outcome) : undefined;
  return {
    result: resultOf(outcome),
    ...(pullRequest && { pullRequest }),
    ...(media && { media }),
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
  return jsonEqual(a, b);
}
