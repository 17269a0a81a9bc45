import { type Run, reasons } from "../../api/v1alpha1/index.ts";
import { acceptedAt, succeededOf } from "../../domain/runs/run-state.ts";
import {
  instantOf,
  invocationSources,
  invocationState,
  knownInstant,
  reasonsInWords,
  reasonWord,
  shownResult,
} from "../http/product-words.ts";
import type { Invocation } from "./answers.ts";
import type { Position } from "../http/page.ts";

type RunSession = NonNullable<NonNullable<Run["status"]>["sessions"]>[number];

/** A Run in the REST API: never its payload or its idempotency key. */
export function shownInvocation(run: Run, automationId: string): Invocation {
  const { metadata, spec } = run;
  const { type, time, deliveryID } = spec.trigger;
  return {
    id: metadata.name ?? "",
    automationId,
    source: invocationSources[type],
    createdAt: knownInstant(metadata.creationTimestamp),
    scheduledAt: type === "Schedule" ? instantOf(time) : null,
    deliveryId: deliveryID ?? null,
    ...shownVerdict(run),
    ...shownProgress(run),
    goneAt: null,
  };
}

function shownVerdict(run: Run): Pick<Invocation, "status" | "skipReason" | "failureReason" | "message"> {
  const { skipReason = null, failureReason = null } = reasonsInWords(run);
  return { status: invocationState(run), skipReason, failureReason, message: succeededOf(run)?.message ?? null };
}

type Progress = "startedAt" | "completedAt" | "executionDeadlineAt" | "result" | "runs";

function shownProgress(run: Run): Pick<Invocation, Progress> {
  const { startTime, completionTime, nextDeadline, result } = run.status ?? {};
  return {
    startedAt: instantOf(startTime),
    completedAt: instantOf(completionTime),
    executionDeadlineAt: instantOf(nextDeadline?.time),
    result: shownResult(result),
    runs: shownRuns(run),
  };
}

/** One entry for each session of a Run. */
export function shownRuns({ status }: Run): Invocation["runs"] {
  return (status?.sessions ?? []).map(shownRun);
}

/** Sort key, newest first: by creation, which has whole seconds, then by acceptance. */
export function positionOfInvocation(run: Run): Position {
  const { creationTimestamp, name = "" } = run.metadata;
  return [knownInstant(creationTimestamp), knownInstant(acceptedAt(run)), name];
}

function shownRun({ name, target, reason }: RunSession): Invocation["runs"][number] {
  const hasEnded = reason !== undefined && reason !== reasons.running && reason !== reasons.pending;
  const isFailed = hasEnded && reason !== reasons.completed;
  return {
    id: name,
    target: target ?? null,
    state: isFailed ? "failed" : hasEnded ? "completed" : "running",
    failureReason: isFailed ? reasonWord(reason) : null,
  };
}
