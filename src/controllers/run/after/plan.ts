import { reasons, type Prompt, type Result, type Run, type RunStatus } from "../../../api/v1alpha1/index.ts";
import { causeOf, isCompleted } from "../../../domain/runs/run-state.ts";
import type { RunPlan } from "../action.ts";
import { nothing } from "../action.ts";
import { isOrphaned, orphanedKeptMs } from "../ownership.ts";

/** A Run that has ended. */
export interface AfterFacts {
  run: Run;
  /** The automation is gone for good or another one has its name. */
  isAutomationGone: boolean;
  /** First prompts of its sessions that are still there. */
  prompts: readonly Prompt[];
}

/** What is left to do for a Run that has ended; its verdict never changes. */
export function planAfter({ run, isAutomationGone, prompts }: AfterFacts, now: Date): RunPlan {
  if (isOrphaned(causeOf(run))) return deleteLater(run, now);
  if (isAutomationGone) return { actions: [{ kind: "deleteRun" }] };
  if (!isObserved(run)) return { actions: [{ kind: "writeRun", status: emptiedStatus(run) }] };
  const lateResult = lateResultOf(run, prompts);
  if (!lateResult) return nothing;
  const note = `A result came after the Run had ended; it stays ${causeOf(run) ?? ""}`;
  const status = { ...run.status, lateResult };
  return {
    actions: [{ kind: "writeRun", status, events: [{ on: "Run", type: "Normal", reason: reasons.lateResult, note }] }],
  };
}

/** An emptied Run has a new generation, which nobody needs to judge again. */
function isObserved({ metadata, status }: Run): boolean {
  return status?.observedGeneration === metadata.generation;
}

/** Its sessions are gone, and what remembers a key for a month should be small. */
function emptiedStatus({ metadata, status }: Run): RunStatus {
  const { conditions, startTime, completionTime } = status ?? {};
  return { conditions, startTime, completionTime, observedGeneration: metadata.generation };
}

function deleteLater(run: Run, now: Date): RunPlan {
  const endedMs = Date.parse(run.status?.completionTime ?? run.metadata.creationTimestamp ?? "") || 0;
  const leftMs = endedMs + orphanedKeptMs - now.getTime();
  return leftMs > 0 ? { actions: [], requeueMs: leftMs } : { actions: [{ kind: "deleteRun" }] };
}

function lateResultOf(run: Run, prompts: readonly Prompt[]): Result | undefined {
  if (isCompleted(run) || run.status?.result !== undefined || run.status?.lateResult !== undefined) return undefined;
  return prompts.map(({ status }) => status?.lateResult ?? status?.result).find((result) => result !== undefined);
}
