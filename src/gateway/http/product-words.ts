import type { Push, Result } from "../../api/v1alpha1/outcome.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { causeOf, isCompleted, isSettled, isStarted, stateOf } from "../../domain/runs/run-state.ts";

/** States of an invocation in the REST API. */
export const invocationStates = ["starting", "running", "completed", "partial_failed", "failed", "skipped"] as const;
type InvocationState = (typeof invocationStates)[number];

/** What fired an invocation, by the trigger's type. */
export const invocationSources = {
  Webhook: "event",
  ErrorTracker: "event",
  GitHub: "event",
  Slack: "event",
  Schedule: "schedule",
  Manual: "manual",
} as const;

/** Reasons that are states of their own; every other failure is `failed`. */
const statesOfReasons: Readonly<Record<string, InvocationState>> = {
  [reasons.skipped]: "skipped",
  [reasons.partiallyFailed]: "partial_failed",
};

/** The state of a Run in the REST API. */
export function invocationState(run: Run): InvocationState {
  if (!isSettled(run)) return isStarted(run) ? "running" : "starting";
  return isCompleted(run) ? "completed" : (statesOfReasons[stateOf(run)] ?? "failed");
}

/** The state of a Session in the REST API. */
export function sessionState({
  queue = [],
  promptsEnded = 0,
}: Pick<SessionStatus, "queue" | "promptsEnded">): "created" | "active" | "idle" {
  if (queue.length > 0) return "active";
  return promptsEnded === 0 ? "created" : "idle";
}

/** The reason of a condition in the REST API: `ExecutionTimeout` is `execution_timeout`. */
export function reasonWord(reason: string): string {
  return reason.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Why a Run was skipped or has failed; undefined for all others. */
export function reasonsInWords(run: Run): { skipReason?: string; failureReason?: string } {
  const state = invocationState(run);
  if (state === "skipped") return { skipReason: reasonWord(causeOf(run) ?? reasons.skipped) };
  const isFailure = state === "failed" || state === "partial_failed";
  return isFailure ? { failureReason: reasonWord(stateOf(run)) } : {};
}

type ShownResult = Record<"summary" | "branch" | "commit", string | null> & { pushes: Push[] };

/** A result in the REST API, with null for what the agent did not report. */
export function shownResult(result: Result | undefined): ShownResult | null {
  if (!result) return null;
  const { summary = null, branch = null, commit = null, pushes = [] } = result;
  return { summary, branch, commit, pushes };
}

/** Milliseconds since 1970 of an RFC 3339 text; null where there is none, or one before 1970. */
export function instantOf(text: string | undefined): number | null {
  const ms = Date.parse(text ?? "");
  return ms >= 0 ? ms : null;
}

/** The same for times that are always set. */
export function knownInstant(text: string | undefined): number {
  return instantOf(text) ?? 0;
}

/** Namespace and name of a stored object, of which its id in the REST API is made. */
export function nameOf({ metadata }: Pick<KubeObject, "metadata">): NamespacedName {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
