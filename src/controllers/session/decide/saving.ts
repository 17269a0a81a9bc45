import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { type Deadline, deadlineAfter, earliest } from "../../../domain/clocks/deadline.ts";
import { snapshotDeadline } from "../../../domain/clocks/session-clocks.ts";
import { succeededOf } from "../../../domain/prompts/prompt-state.ts";
import { settingsOf } from "../../../domain/settings/effective.ts";
import { deletionOf, silence } from "../../sandbox/decide.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import { keepsWorkspace } from "../../sandbox/owner.ts";
import type { SessionFacts } from "../facts.ts";
import { awaitsItsPrompt, isFirstItsOwn, waitsForNextFrom } from "./next-sandbox.ts";
import { isWithoutGateway } from "./outage.ts";
import { workOf } from "./queue.ts";

/**
 * Why a ready sandbox is about to be lost whose workspace can still be saved: its pod is being deleted, as by a drain, and
 * has until its grace period ends; or its runtime is silent, and the workspace is on a volume.
 */
export function lossAhead(
  { session, pods, isSilent }: SessionFacts,
  { sandbox }: SessionStatus,
): AttemptEnd | undefined {
  if (sandbox?.readyTime === undefined || sandbox.endTime !== undefined || !keepsWorkspace(session)) return undefined;
  if (isSilent) return sandbox.volumeSnapshotClassName === undefined ? undefined : silence;
  const pod = pods.find(({ uid }) => uid === sandbox.podUID);
  return pod?.isTerminating ? deletionOf(pod) : undefined;
}

/** When the saving begins; undefined where it has begun or there is none. */
export function savingStarts(facts: SessionFacts, status: SessionStatus): Deadline | undefined {
  const { sandbox } = status;
  const isOpen = sandbox?.snapshotTime === undefined && sandbox?.endTime === undefined;
  if (!isOpen || !keepsWorkspace(facts.session)) return undefined;
  if (sandbox && lossAhead(facts, status)) return deadlineAfter(sandbox.createTime, 0, reasons.savingWorkspace);
  return plannedSaving(facts, status);
}

function plannedSaving(facts: SessionFacts, status: SessionStatus): Deadline | undefined {
  const { idleSince, currentPrompt } = status;
  const atLifetime = awaitsItsPrompt(facts, status) ? undefined : snapshotDeadline(status, bufferOf(status));
  if (isWithoutGateway(facts.gatewayOutage)) return atLifetime;
  const atIdle = idleSince === undefined ? undefined : idleSave(facts.session, { ...status, idleSince });
  const atPrompt = currentPrompt && promptDeadline(currentPrompt);
  return earliest([atPrompt, atLifetime, atIdle, waitsForNextFrom(facts, status)]);
}

/** Wait after the first failed try to save an idle sandbox, and the longest one, in milliseconds; it doubles each time. */
const againMs = { first: 60_000, longest: 1_800_000 };

function idleSave({ spec }: Session, { idleSince, sandbox }: SessionStatus & { idleSince: string }): Deadline {
  const reason = reasons.savingWorkspace;
  const { saveFailures, saveFailureTime } = sandbox ?? {};
  if (saveFailures === undefined || saveFailureTime === undefined) {
    return deadlineAfter(idleSince, spec.idleTimeoutSeconds * 1_000, reason);
  }
  return deadlineAfter(saveFailureTime, Math.min(againMs.first * 2 ** (saveFailures - 1), againMs.longest), reason);
}

function promptDeadline({ deadline }: NonNullable<SessionStatus["currentPrompt"]>): Deadline {
  return deadlineAfter(deadline, 0, reasons.executionTimeout);
}

/** When a saving that has begun is given up: it has its whole time, also where that is longer than the lifetime. */
export function savingEnds(facts: SessionFacts, status: SessionStatus): Deadline | undefined {
  const { snapshotTime, endTime } = status.sandbox ?? {};
  if (snapshotTime === undefined || endTime !== undefined) return undefined;
  const reason = lossAhead(facts, status) ? reasons.sandboxLost : reasonToSave(facts, status, snapshotTime);
  return deadlineAfter(snapshotTime, bufferOf(status), reason);
}

/** Why a sandbox ends that has no work. */
export const nothingLeft = "nothing was left to do; the next prompt starts another sandbox";

const whySaved = {
  [reasons.executionTimeout]: "a prompt was not done within its time",
  [reasons.sandboxLifetimeEnded]: "the sandbox reached the end of its lifetime",
  [reasons.stopped]: nothingLeft,
} as const;

/** Why the workspace is being saved; undefined before that began. */
export function savedFor(facts: SessionFacts, status: SessionStatus): AttemptEnd | undefined {
  const { snapshotTime } = status.sandbox ?? {};
  if (snapshotTime === undefined) return undefined;
  const loss = lossAhead(facts, status);
  if (loss) return loss;
  const reason = reasonToSave(facts, status, snapshotTime);
  const isForNext = reason === reasons.stopped && workOf(facts, status).length > 0;
  return { reason, message: isForNext ? tooLittleLeft : whySaved[reason] };
}

const tooLittleLeft = "too little of its lifetime was left for the next prompt, which begins in another sandbox";

/** What the sandbox ends for; it is in the times that are stored, and in the verdict of a prompt that took too long. */
export function reasonToSave(
  { prompts }: SessionFacts,
  status: SessionStatus,
  snapshotTime: string,
): keyof typeof whySaved {
  const hasTimedOut = status.currentPrompt
    ? isPromptTooLong(status)
    : prompts.some((prompt) => hasTimedOutSince(prompt, snapshotTime));
  if (hasTimedOut) return reasons.executionTimeout;
  const atLifetime = lifetimeLeft(status);
  const isIdle = !atLifetime || Date.parse(snapshotTime) < atLifetime.atMs;
  return isIdle ? reasons.stopped : reasons.sandboxLifetimeEnded;
}

/** When the saving would have begun because of the lifetime. */
export function lifetimeLeft(status: SessionStatus): Deadline | undefined {
  const { sandbox } = status;
  const unsaved = sandbox && { ...sandbox, snapshotTime: undefined };
  return snapshotDeadline({ ...status, sandbox: unsaved }, bufferOf(status));
}

/** Whether the saving began because of the prompt that is processed. */
function isPromptTooLong(status: SessionStatus): boolean {
  const { currentPrompt, sandbox } = status;
  if (!currentPrompt || sandbox?.snapshotTime === undefined) return false;
  const deadline = promptDeadline(currentPrompt);
  const hasCome = deadline.atMs <= Date.parse(sandbox.snapshotTime);
  return hasCome && earliest([deadline, lifetimeLeft(status)]) === deadline;
}

function hasTimedOutSince(prompt: Prompt, snapshotTime: string): boolean {
  const completedMs = Date.parse(prompt.status?.completionTime ?? "");
  return succeededOf(prompt)?.reason === reasons.executionTimeout && completedMs >= Date.parse(snapshotTime);
}

/** Whether the workspace is being saved. */
export function isSaving({ sandbox }: SessionStatus): boolean {
  return sandbox?.snapshotTime !== undefined && sandbox.endTime === undefined;
}

/** How long the saving may take, in milliseconds. */
export function bufferOf(status: SessionStatus): number {
  return settingsOf({ status }).finalSnapshotBufferMs;
}

/** What a prompt fails with that was processed when the saving began. */
export function interruption(facts: SessionFacts, status: SessionStatus): AttemptEnd {
  const loss = lossAhead(facts, status);
  if (loss) return loss;
  if (isPromptTooLong(status)) return { reason: reasons.executionTimeout, message: notDoneInTime(status) };
  const message =
    "the sandbox reached the end of its lifetime while it was processed, less the time to save its workspace";
  return { reason: reasons.sandboxLifetimeEnded, message };
}

/**
 * Why the prompt fails that the sandbox was started for, where boot took until the workspace has to be saved: in another one it
 * would be no other. Undefined: it goes on, or waits.
 */
export function bootedTooLong(facts: SessionFacts, status: SessionStatus): AttemptEnd | undefined {
  if (!isSaving(status) || !isFirstItsOwn(facts, status) || lossAhead(facts, status)) return undefined;
  const atLifetime = lifetimeLeft(status);
  if (!atLifetime || Date.parse(status.sandbox?.readyTime ?? "") < atLifetime.atMs) return undefined;
  const message =
    "boot took until the workspace of the sandbox had to be saved, finalSnapshotBufferMs before the end of its lifetime; raise sandboxTimeoutMs";
  return { reason: reasons.sandboxLifetimeEnded, message };
}

/** The message for a prompt whose time is over. */
export function notDoneInTime({ executionTimeoutMs }: SessionStatus): string {
  return `the prompt was not done within its ${String(executionTimeoutMs)} ms`;
}
