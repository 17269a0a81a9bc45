import { reasons, type Prompt, type Result, type Run, type RunStatus } from "../../../api/v1alpha1/index.ts";
import { archiveLookMs } from "../../../domain/archive/stored-mark.ts";
import { causeOf, isCompleted, isSkipped } from "../../../domain/runs/run-state.ts";
import type { RunDecision, RunEffect } from "../effects.ts";
import type { AfterFacts } from "../facts.ts";
import { isOrphaned, orphanedKeptMs } from "../ownership.ts";
import { freeKey } from "./free-key.ts";

/** Decides what is left to do for a Run that has ended; its verdict never changes. */
export function decideAfter(facts: AfterFacts, now: Date): RunDecision {
  const { run, isAutomationGone, prompts } = facts;
  if (isOrphaned(causeOf(run))) return deleteLater(facts, now);
  if (isAutomationGone) return deleteStored(facts);
  if (!isObserved(run)) return { effects: [{ kind: "writeRun", status: emptiedStatus(run) }] };
  const freed = isSkipped(run) ? freeKey(run, causeOf(run)) : [];
  if (freed.length > 0) return freedWithSessions(facts, freed);
  const lateResult = lateResultOf(run, prompts);
  if (!lateResult) return { effects: [] };
  const note = `A result came after the Run had ended; it stays ${causeOf(run) ?? ""}`;
  const status = { ...run.status, lateResult };
  return {
    effects: [{ kind: "writeRun", status, events: [{ on: "Run", type: "Normal", reason: reasons.lateResult, note }] }],
  };
}

/** Whether the status is of this generation; a Run gets a new one when its history is emptied. */
function isObserved({ metadata, status }: Run): boolean {
  return status?.observedGeneration === metadata.generation;
}

/** A Run without payload and sessions stays for a month as the memory of its idempotency key, so it should be small. */
function emptiedStatus({ metadata, status }: Run): RunStatus {
  const { conditions, startTime, completionTime, took } = status ?? {};
  return { conditions, startTime, completionTime, took, observedGeneration: metadata.generation };
}

function deleteLater(facts: AfterFacts, now: Date): RunDecision {
  const { run } = facts;
  const endedMs = Date.parse(run.status?.completionTime ?? run.metadata.creationTimestamp ?? "") || 0;
  const leftMs = endedMs + orphanedKeptMs - now.getTime();
  return leftMs > 0 ? { effects: [], requeueMs: leftMs } : deleteStored(facts);
}

function deleteStored({ isStored }: AfterFacts): RunDecision {
  return isStored ? { effects: [{ kind: "deleteRun" }] } : { effects: [], requeueMs: archiveLookMs };
}

/** The Run's copy stands for it in the archive, and nothing does for its sessions, in which a person may have asked for more. */
function freedWithSessions({ run, isStored, isBusy = false }: AfterFacts, freed: readonly RunEffect[]): RunDecision {
  const isWaiting = run.status?.sessions !== undefined && (isBusy || !isStored);
  return isWaiting ? { effects: [], requeueMs: archiveLookMs } : { effects: freed };
}

function lateResultOf(run: Run, prompts: readonly Prompt[]): Result | undefined {
  if (isCompleted(run) || run.status?.result !== undefined || run.status?.lateResult !== undefined) return undefined;
  return prompts.map(({ status }) => status?.lateResult ?? status?.result).find((result) => result !== undefined);
}
