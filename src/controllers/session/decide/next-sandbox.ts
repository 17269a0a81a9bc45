import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { type Deadline, hasPassed } from "../../../domain/clocks/deadline.ts";
import { takesPromptsUntil } from "../../../domain/clocks/session-clocks.ts";
import { settingsOf } from "../../../domain/settings/effective.ts";
import { keepsWorkspace } from "../../sandbox/owner.ts";
import type { SessionFacts } from "../facts.ts";
import { workOf } from "./queue.ts";

/**
 * From when the first prompt in line no longer begins in this sandbox, which is then saved for the next one. Undefined: none
 * waits, or it begins here at any time. So does the prompt that the sandbox was started for, as the next one would leave it no
 * more, and any prompt while the workspace cannot be saved.
 */
export function waitsForNextFrom(facts: SessionFacts, status: SessionStatus): Deadline | undefined {
  const { sandbox, currentPrompt } = status;
  const isFree = sandbox?.readyTime !== undefined && !currentPrompt && workOf(facts, status).length > 0;
  if (!isFree || !keepsWorkspace(facts.session)) return undefined;
  if (isFirstItsOwn(facts, status) || sandbox.saveFailures !== undefined) return undefined;
  const untilMs = takesPromptsUntil(status, settingsOf({ status }).finalSnapshotBufferMs);
  // One that begins at that very instant has its time.
  return untilMs === undefined ? undefined : { reason: reasons.savingWorkspace, atMs: untilMs + 1 };
}

/** Whether the first prompt in line waits for the next sandbox now. */
export function waitsForNext(facts: SessionFacts, status: SessionStatus, now: Date): boolean {
  const from = waitsForNextFrom(facts, status);
  return from !== undefined && hasPassed(from, now);
}

/** Whether the lifetime is to wait for the first prompt in line, which is the one that the sandbox was started for. */
export function awaitsItsPrompt(facts: SessionFacts, status: SessionStatus): boolean {
  const { executionTimeoutMs = Infinity, lifetimeMs = Infinity } = status;
  return isFirstItsOwn(facts, status) && executionTimeoutMs <= lifetimeMs;
}

/** Whether the prompt that the sandbox was started for is the next one to begin. */
export function isFirstItsOwn(facts: SessionFacts, status: SessionStatus): boolean {
  const [first] = workOf(facts, status);
  return first !== undefined && !status.currentPrompt && first.metadata.uid === status.sandbox?.forPromptUID;
}
