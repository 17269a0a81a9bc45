import { annotations, type Prompt, type Run, type Session } from "../../../src/api/v1alpha1/index.ts";
import { sandboxContainers } from "../../../src/api/runtime/pod-contract.ts";
import type { Lease, Pod } from "../../../src/kube/core-resources.ts";
import { describePod } from "./deployments.ts";

/** What a Run goes through, in order. */
export const stages = [
  "accepted",
  "runSeen",
  "podCreated",
  "containerStarted",
  "connected",
  "ready",
  "promptStarted",
  "finished",
] as const;
export type Stage = (typeof stages)[number];

/** Milliseconds from the moment the delivery was sent until each stage was seen from outside. */
export type StagesMs = Partial<Record<Stage, number>>;

/** What can be seen of one Run; members are added as objects appear. */
export interface RunView {
  run?: Run;
  session?: Session;
  pod?: Pod;
  lease?: Lease;
}

const isReached: Record<Exclude<Stage, "accepted">, (view: RunView) => boolean> = {
  runSeen: ({ run }) => run?.status?.startTime !== undefined || hasEnded(run),
  podCreated: ({ pod }) => pod !== undefined,
  containerStarted: ({ pod }) => isRuntimeStarted(pod),
  connected: ({ lease, session }) => lease !== undefined || session?.status?.sandbox?.connectTime !== undefined,
  ready: ({ lease, session }) =>
    lease?.metadata.annotations?.[annotations.readyTime] !== undefined ||
    session?.status?.sandbox?.readyTime !== undefined,
  promptStarted: ({ session }) => session?.status?.currentPrompt !== undefined,
  finished: ({ run }) => hasEnded(run),
};

/** The stages that a view shows to be reached. `accepted` is the sender's to note. */
export function reachedStages(view: RunView): Stage[] {
  return stages.filter((stage) => stage !== "accepted" && isReached[stage](view));
}

/** Whether the Run's verdict is in. */
export function hasEnded(run: Run | undefined): boolean {
  return ["True", "False"].includes(succeeded(run)?.status ?? "");
}

/** The `Succeeded` condition of a Run or Prompt. */
export function succeeded(
  object: Pick<Run | Prompt, "status"> | undefined,
): { status: string; reason: string; message: string } | undefined {
  return object?.status?.conditions?.find(({ type }) => type === "Succeeded");
}

function isRuntimeStarted(pod: Pod | undefined): boolean {
  const container = pod?.status?.containerStatuses?.find(({ name }) => name === sandboxContainers.runtime);
  return container?.state?.running !== undefined || container?.state?.terminated !== undefined;
}

/** One line on how far each object is, for a person who waits. */
export function describeView({ run, session, pod }: RunView): string {
  return [describeRun(run), describeSession(session), pod === undefined ? "no Pod" : `Pod ${describePod(pod)}`].join(
    "; ",
  );
}

function describeRun(run: Run | undefined): string {
  const verdict = succeeded(run);
  return verdict === undefined ? "the Run has no status" : `Run ${verdict.reason} ${verdict.message}`;
}

function describeSession(session: Session | undefined): string {
  if (session === undefined) return "no Session";
  const ready = session.status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined ? "the Session has no status" : `Session ${ready.reason} ${ready.message}`;
}
