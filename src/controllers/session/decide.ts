import { labels } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { Sandbox, Session, SessionStatus } from "../../api/v1alpha1/session.ts";
import { earliest } from "../../domain/clocks/deadline.ts";
import { queueFullMessage } from "../../domain/prompts/queue-limit.ts";
import type { ObjectMeta } from "../../lib/resource.ts";
import { decideStatus, type Decision, type SessionLimits } from "./decide/status.ts";
import type { ObservedPod, SessionFacts } from "./facts.ts";
import { storedReadiness } from "./lifecycle.ts";
import { lineOf, type PromptLine, unfinishedOf } from "./decide/queue.ts";
import { connectGoesOn, deadlinesOf, type SandboxEnd } from "./decide/end.ts";
import { interruption, savingStarts } from "./decide/saving.ts";
import { attemptOf } from "../sandbox/attempt-number.ts";
import {
  bootShownAt,
  failsPrompt,
  nextAttempt,
  recordDeadlineMs,
  startHeldUntil,
  wantsSandbox,
} from "./decide/start.ts";
import { changeOf } from "./decide/status-diff.ts";

/**
 * The next thing to do for a session. Each is decided from what is stored, so a crash after any of them is healed by
 * deciding again:
 *
 * ```
 *   its Run left the session behind     ──▶ delete it
 *   refusals and losses that are stored ──▶ settle their prompts
 *   a fact others act on has changed    ──▶ write the status      (the end of an attempt before anything is deleted)
 *   a volume is to be saved             ──▶ make its VolumeSnapshot
 *   attempts that are over              ──▶ delete pod, bundle
 *   work and no sandbox                 ──▶ start one
 *   only words for people have changed  ──▶ write the status
 *   nothing                             ──▶ wait for an event or a clock
 * ```
 */
export type Step =
  | { kind: "settlePrompt"; prompt: Prompt; reason: Reason; message: string }
  | { kind: "writeStatus"; status: SessionStatus; end?: SandboxEnd | undefined }
  | { kind: "snapshotVolume"; sandbox: Sandbox & { volumeSnapshotClassName: string } }
  | { kind: "deleteSession" }
  | { kind: "deletePod"; pod: ObservedPod }
  | { kind: "deleteSecret"; secret: ObjectMeta }
  /** `givenUp`: pods of former attempts that do not go away, and beside which this one is started. */
  | {
      kind: "start";
      attempt: number;
      forPromptUID: string | undefined;
      replacement: boolean;
      givenUp: readonly string[];
    }
  /** `atMs` in milliseconds since 1970; none: an event has to come. */
  | { kind: "wait"; atMs?: number | undefined };

/** How often a start that a person or a full class stands in the way of is looked at again without an event. */
const obstacleRetryMs = 60_000;

/** How often a VolumeSnapshot on its way is looked at: 2 seconds. */
const volumeSnapshotLookMs = 2_000;

/** Decides on the next step. Same facts and instant, same step. */
export function nextStep(facts: SessionFacts, now: Date, limits: SessionLimits): Step {
  if (isLeftAlone(facts)) return { kind: "wait" };
  if (isLeftBehind(facts.session)) return { kind: "deleteSession" };
  const decision = decideStatus(facts, now, limits);
  return (
    settlement(facts) ??
    factToWrite(facts, decision, now) ??
    volumeToSave(facts) ??
    cleanUp(facts) ??
    start(facts, now) ??
    wordsToWrite(facts, decision, now) ?? { kind: "wait", atMs: wakeAt(facts, decision, now, limits) }
  );
}

/** It goes already, or it is a child for which nothing is made before its parent, whose status wakes it, has let it in. */
function isLeftAlone({ session, obstacle, verdict }: SessionFacts): boolean {
  if (session.metadata.deletionTimestamp !== undefined || obstacle?.kind === "gone") return true;
  return verdict?.kind === "open" && !session.status?.sandbox;
}

/** What a Run or a session made goes with it; without an owner it was orphaned in the deletion. */
function isLeftBehind({ metadata }: Session): boolean {
  const { [labels.runUid]: run, [labels.parentUid]: parent } = metadata.labels ?? {};
  return (run !== undefined || parent !== undefined) && (metadata.ownerReferences ?? []).length === 0;
}

function settlement(facts: SessionFacts): Step | undefined {
  const { session, obstacle } = facts;
  const line = lineOf(facts);
  const refused = calledOff(line) ?? beyondLimit(line);
  if (refused) return refused;
  const [first] = unfinishedOf(line);
  if (first && obstacle?.kind === "refused") return { kind: "settlePrompt", prompt: first, ...obstacle.refusal };
  return cutShort(session, line) ?? loss(facts);
}

/** The prompt that is processed when the workspace is to be saved. */
function cutShort({ status }: Session, { current }: PromptLine): Step | undefined {
  return current && status?.sandbox && isSaving(status.sandbox)
    ? { kind: "settlePrompt", prompt: current, ...interruption(status) }
    : undefined;
}

function loss(facts: SessionFacts): Step | undefined {
  const { status = {} } = facts.session;
  const { sandbox } = status;
  const lost = sandbox && lostPrompt(facts, sandbox);
  return lost && { kind: "settlePrompt", prompt: lost, ...endSaid(status, sandbox) };
}

/** A prompt that somebody has cancelled; it makes room before one too many is refused. */
function calledOff(line: PromptLine): Step | undefined {
  const prompt = [...unfinishedOf(line), ...line.excess].find(({ spec }) => spec.cancel);
  if (!prompt) return undefined;
  const message = prompt === line.current ? "cancelled while it was processed" : "cancelled before it began";
  return { kind: "settlePrompt", prompt, reason: reasons.cancelled, message };
}

function beyondLimit({ excess: [prompt] }: PromptLine): Step | undefined {
  return prompt && { kind: "settlePrompt", prompt, reason: reasons.queueFull, message: queueFullMessage };
}

/** The prompt that goes down with an attempt whose end is stored. */
function lostPrompt(facts: SessionFacts, sandbox: Sandbox): Prompt | undefined {
  if (sandbox.endTime === undefined) return undefined;
  const line = lineOf(facts);
  if (line.current) return line.current;
  const [first] = unfinishedOf(line);
  return first && !facts.start && failsPrompt(sandbox, first.metadata.uid) ? first : undefined;
}

function endSaid(
  status: SessionStatus,
  { endReason = reasons.sandboxLost }: Sandbox,
): { reason: Reason; message: string } {
  const said = storedReadiness(status);
  const message = said?.reason === endReason ? said.message : "the sandbox ended";
  // The reason is one that this controller wrote.
  return { reason: endReason as Reason, message };
}

function factToWrite(facts: SessionFacts, { status, end }: Decision, now: Date): Step | undefined {
  const judged = !end && awaitsContainer(facts, status, now) ? withoutRecord(facts.session, status) : status;
  // What waits to be recorded goes along with what cannot wait.
  return changeOf(facts.session, judged) === "fact" ? { kind: "writeStatus", status, end } : undefined;
}

function withoutRecord({ status: stored = {} }: Session, status: SessionStatus): SessionStatus {
  const { sandbox, executionTimeoutMs, lifetimeMs, settings, settingOrigins, idleSince } = stored;
  return { ...status, sandbox, executionTimeoutMs, lifetimeMs, settings, settingOrigins, idleSince };
}

/** Whether the recording of a new pod can be put off until its container runs or something shows that it will not. */
function awaitsContainer({ start, pods }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  if (!start || sandbox?.containerStartTime !== undefined) return false;
  const pod = pods.find(({ uid }) => uid === start.podUID);
  return !pod?.waiting && now.getTime() < recordDeadlineMs(start.createTime);
}

function volumeToSave({ session, volumeSnapshot }: SessionFacts): Step | undefined {
  const { sandbox } = session.status ?? {};
  const { volumeSnapshotClassName } = sandbox ?? {};
  if (!sandbox || volumeSnapshotClassName === undefined || volumeSnapshot || !isSaving(sandbox)) return undefined;
  return { kind: "snapshotVolume", sandbox: { ...sandbox, volumeSnapshotClassName } };
}

function isSaving({ snapshotTime, endTime }: Sandbox): boolean {
  return snapshotTime !== undefined && endTime === undefined;
}

function cleanUp(facts: SessionFacts): Step | undefined {
  const { session, pods, secrets, start } = facts;
  const { attempt = 0, endTime } = session.status?.sandbox ?? {};
  // What a predecessor made and could not record is adopted by the next start, if there is one to come.
  const isUnclaimed = start === undefined && !wantsSandbox(facts);
  const isOver = (of: number): boolean =>
    of < attempt || (of === attempt && endTime !== undefined) || (of > attempt && isUnclaimed);
  const pod = pods.find((one) => isOver(one.attempt) && !one.isTerminating);
  if (pod) return { kind: "deletePod", pod };
  const secret = secrets.find((one) => isOver(attemptOf(one)) && attemptOf(one) !== start?.attempt);
  return secret && { kind: "deleteSecret", secret };
}

function start(facts: SessionFacts, now: Date): Step | undefined {
  const { session, obstacle } = facts;
  const { sandbox } = session.status ?? {};
  const hasSandbox = facts.start !== undefined || (sandbox !== undefined && sandbox.endTime === undefined);
  if (hasSandbox || obstacle || !wantsSandbox(facts) || startHeldUntil(facts, now) !== undefined) return undefined;
  const next = nextAttempt(facts);
  const givenUp = facts.pods.filter(({ attempt }) => attempt < next.attempt).map(({ name }) => name);
  return { kind: "start", ...next, givenUp };
}

function wordsToWrite(facts: SessionFacts, { status }: Decision, now: Date): Step | undefined {
  if (awaitsPrompt(facts) || awaitsContainer(facts, status, now) || changeOf(facts.session, status) !== "shown")
    return undefined;
  return isBootHeldBack(facts, status, now) ? undefined : { kind: "writeStatus", status };
}

/** A Run's session gets its first prompt in a moment; until then there is nothing to say. */
function awaitsPrompt({ session, prompts }: SessionFacts): boolean {
  const { metadata, status = {} } = session;
  return metadata.labels?.[labels.runUid] !== undefined && prompts.length === 0 && status.conditions === undefined;
}

/** A runtime that connects is usually ready soon, and then one write says both. */
function isBootHeldBack({ lease }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  const shownMs = sandbox && bootShownAt(sandbox);
  return lease !== undefined && shownMs !== undefined && now.getTime() < shownMs;
}

function wakeAt(facts: SessionFacts, { status }: Decision, now: Date, limits: SessionLimits): number | undefined {
  const instants = [
    earliest(deadlinesOf(facts, status, limits))?.atMs,
    savingStarts(facts, status)?.atMs,
    // Nothing watches VolumeSnapshots: a cluster may have no such kind.
    facts.volumeSnapshot && now.getTime() + volumeSnapshotLookMs,
    facts.start && recordDeadlineMs(facts.start.createTime),
    // Whether or not the runtime has connected: that it does wakes nobody before.
    status.sandbox && bootShownAt(status.sandbox),
    connectGoesOn(facts, status),
    facts.awaitsFirst ? now.getTime() + obstacleRetryMs : undefined,
    ...facts.children.map(({ awaitsPromptUntilMs }) => awaitsPromptUntilMs),
    ...(wantsSandbox(facts) ? [startHeldUntil(facts, now), facts.obstacle && now.getTime() + obstacleRetryMs] : []),
  ];
  const ahead = instants.filter((atMs = 0) => atMs > now.getTime() && Number.isFinite(atMs)).map(Number);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
