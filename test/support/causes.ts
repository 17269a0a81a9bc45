import { aPrompt, aSession } from "./builders.ts";
import type { Condition } from "../../src/api/v1alpha1/conditions.ts";
import type { SessionStatus } from "../../src/api/v1alpha1/session.ts";
import { conditionTypes } from "../../src/api/v1alpha1/names.ts";
import { findCondition } from "../../src/domain/conditions.ts";
import type { Event, Pod } from "../../src/kube/core-resources.ts";
import { KubeError } from "../../src/kube/errors.ts";
import { foldVerdict } from "../../src/controllers/run/verdict.ts";
import { sessionAsOwner } from "../../src/controllers/sandbox/owner.ts";
import type { ObservedLease, StartObstacle } from "../../src/controllers/sandbox/facts.ts";
import { waitingOf } from "../../src/controllers/sandbox/observe/pod-events.ts";
import { podState } from "../../src/controllers/sandbox/observe/pod-state.ts";
import { quietlyWaiting } from "../../src/controllers/sandbox/observe/pod-waiting.ts";
import { refusedPod } from "../../src/controllers/sandbox/pod/refused-pod.ts";
import { startObstacle } from "../../src/controllers/sandbox/start/obstacle.ts";
import { afterEffects, decided, type GivenFacts, observed } from "../../src/controllers/session/fake-steps.ts";
import type { SessionLimits } from "../../src/controllers/session/decide/status.ts";
import type { SessionFacts } from "../../src/controllers/session/facts.ts";

/** Whether something is tried again: by Kubernetes or a person's change in the same sandbox, by another sandbox, or not at all. */
export type TriedAgain = "waits" | "another sandbox" | "a place" | "never";

/** What people read of a cause. */
export interface Said {
  /** Of the Session's `Ready`; of one that starts another sandbox why the last one ended. */
  reason: string | undefined;
  message: string;
  /** Of the Run's verdict, where the cause ends it. */
  run: string | undefined;
  again: TriedAgain;
}

const createdMs = Date.parse("2026-05-04T10:00:00.000Z");
const minute = 60_000;
const limits: SessionLimits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 120 * minute };
const sandbox = {
  attempt: 1,
  podName: "fix-x-1",
  podUID: "u1",
  createTime: new Date(createdMs).toISOString(),
  forPromptUID: "p1",
};
const prompt = aPrompt({ metadata: { name: "fix-1", namespace: "team", uid: "p1", resourceVersion: "100" } });

function factsWith(status: SessionStatus, more: Partial<SessionFacts>): GivenFacts {
  const metadata = { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" };
  const session = aSession({ metadata, status: { queue: ["p1"], ...status } });
  return { session, prompts: [prompt], pods: [], secrets: [], isSilent: false, children: [], ...more };
}

/** Around a pod; times are milliseconds since it was created. */
interface PodContext {
  afterMs?: number;
  /** When its container was seen to start, where that is stored. */
  startedMs?: number;
  /** The Run's prompt is processed in it. */
  isAtWork?: boolean;
  /** No heartbeat came for too long. */
  isSilent?: boolean;
  lease?: ObservedLease;
  spec?: object;
  events?: Event[];
}

/** What is said once a node, a scheduler or the sandbox itself has spoken, this long after the pod was created. */
export function saidOfPod(status: object, context: PodContext = {}): Said {
  const { afterMs = 0, isAtWork = false, isSilent = false, startedMs, lease, spec, events } = context;
  const pod = { metadata: { name: "fix-x-1" }, status, spec } as Pod;
  const state = podState(pod);
  const waiting = state.waiting ?? (events && (waitingOf(events) ?? quietlyWaiting(pod)));
  const own = { ...state, waiting, name: "fix-x-1", uid: "u1", attempt: 1 };
  const facts = { pods: [own], isSilent, ...(lease && { lease }) };
  return said(factsWith(isAtWork ? atWork : standing(startedMs), facts), new Date(createdMs + afterMs));
}

function standing(startedMs: number | undefined): SessionStatus {
  if (startedMs === undefined) return { sandbox };
  return { sandbox: { ...sandbox, containerStartTime: new Date(createdMs + startedMs).toISOString() } };
}

const atWork: SessionStatus = {
  executionTimeoutMs: limits.executionTimeoutMs,
  sandbox: { ...sandbox, containerStartTime: sandbox.createTime, readyTime: sandbox.createTime },
  currentPrompt: {
    name: "fix-1",
    uid: "p1",
    startTime: sandbox.createTime,
    deadline: new Date(createdMs + limits.executionTimeoutMs).toISOString(),
  },
};

/** What is said once the API server has refused the pod. */
export function saidOfRefusal(code: number, message: string): Said {
  const error = new KubeError({ message, status: code, reason: "", delivery: "received" });
  const found = startObstacle(error, { podName: "fix-x-1" }, { copied: {}, bounded: [] });
  const pod: Pod = { metadata: {}, spec: { containers: [{ name: "agent" }] } };
  const obstacle: StartObstacle =
    found.kind === "rejected" ? { ...found, message: refusedPod(found.message, pod) } : found;
  return said(factsWith({}, { obstacle }), new Date(createdMs));
}

function said(given: GivenFacts, now: Date): Said {
  const first = decided(given, now, limits);
  const facts = afterEffects(observed(given, now), first.effects, now);
  const ready = findCondition(facts.session.status?.conditions, conditionTypes.ready);
  const verdict = verdictOf(facts);
  const { record } = sessionAsOwner(facts.session);
  const isOver = record?.endTime !== undefined;
  const next = decided({ ...facts, pods: [], obstacle: undefined, lease: undefined }, now, limits);
  const settled = verdictOf(afterEffects(observed(facts, now), next.effects, now));
  const isStarted = next.effects.some(({ kind }) => kind === "createPod");
  const run = isStarted ? verdict : (verdict ?? settled);
  return {
    ...(isOver && isStarted ? lastEnd(ready?.message) : shownBy(ready)),
    run,
    again: again({ isOver, isStarted, isFull: given.obstacle?.kind === "full" }),
  };
}

function shownBy(ready: Condition | undefined): Pick<Said, "reason" | "message"> {
  return { reason: ready?.reason, message: ready?.message ?? "" };
}

function lastEnd(shown = ""): Pick<Said, "reason" | "message"> {
  const [, reason, message = ""] =
    /^a sandbox is being started, as the last one ended with (\w+): (.*)$/.exec(shown) ?? [];
  return { reason, message };
}

function again({ isOver, isStarted, isFull }: { isOver: boolean; isStarted: boolean; isFull: boolean }): TriedAgain {
  if (isFull) return "a place";
  if (!isOver) return "waits";
  return isStarted ? "another sandbox" : "never";
}

/** The Run's message, once its only session's prompt has ended. */
function verdictOf({ prompts }: SessionFacts): string | undefined {
  const condition = findCondition(prompts[0]?.status?.conditions, conditionTypes.succeeded);
  if (!condition) return undefined;
  const { reason, message } = condition;
  const verdict = foldVerdict([{ session: "fix", state: "failed", reason, message }]);
  return verdict && `${verdict.reason}: ${verdict.message}`;
}
