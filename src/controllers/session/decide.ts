import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Session, SessionStatus } from "../../api/v1alpha1/session.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { cleanUp } from "../sandbox/decide.ts";
import { volumeToSave } from "../sandbox/decide/saving.ts";
import type { PoolAnswer } from "../metrics/pool-metrics.ts";
import type { AttemptEnd, ReadyStart } from "../sandbox/facts.ts";
import { sessionAsOwner } from "../sandbox/owner.ts";
import { makeStart, type StartConfig } from "../sandbox/start/make-start.ts";
import { earlierTurns } from "./decide/earlier-turns.ts";
import { promptsToForget } from "./decide/forgetting.ts";
import { queueOf } from "./decide/queue.ts";
import { settlePrompts } from "./decide/settlements.ts";
import { dueStart, wantsSandbox } from "./decide/start.ts";
import { decideStatus, type JudgedStatus, type SessionLimits } from "./decide/status.ts";
import { isFactToWrite, isWordsToWrite } from "./decide/status-diff.ts";
import { wakeAt } from "./decide/wake.ts";
import type { SessionEffect, SessionEvent } from "./effects.ts";
import { type DueStart, isLeftBehind, type SessionFacts } from "./facts.ts";

/** What to do for a session now, in order, and when to look again. */
export interface Decision {
  effects: readonly SessionEffect[];
  /** Milliseconds since 1970, now included; undefined: an event has to come. */
  wakeAtMs?: number | undefined;
}

/** What a decision about a session goes by beside the facts. */
export interface SessionRules {
  limits: SessionLimits;
  start: StartConfig;
}

/**
 * Decides everything that is to be done for a session now. It rests on what is stored, so a crash after any effect, or an
 * effect that fails, is healed by deciding again:
 *
 * ```
 *   leftovers of a former session       ──▶ deleted
 *   its Run left the session behind     ──▶ session deleted
 *   prompts that are refused or lost    ──▶ settled
 *   a fact that others act on changed   ──▶ status written     (the end of an attempt before anything is deleted)
 *   prompts that this end, or the begin
 *   of a saving, takes with it          ──▶ settled, status written
 *   a volume is to be saved             ──▶ VolumeSnapshot created
 *   ports of a new pod are routed       ──▶ Service, Ingress and the like created
 *   attempts that are over              ──▶ pod and bundle deleted
 *   ended prompts beyond those kept     ──▶ deleted
 *   a start is due                      ──▶ policies, bundle and pod created
 *   only words for people have changed  ──▶ status written
 * ```
 */
export function decide(facts: SessionFacts, now: Date, rules: SessionRules): Decision {
  const leftovers: SessionEffect[] = facts.leftovers.map((leftover) => ({ kind: "deleteLeftover", leftover }));
  // What stands in the way of a start that is due concerns prompts once they are admitted.
  const found = facts.due && facts.obstacle;
  const before = found ? { ...facts, obstacle: undefined } : facts;
  if (isLeftAlone(before)) return { effects: leftovers };
  if (isLeftBehind(facts.session)) return { effects: [...leftovers, deletion(facts.session)] };
  const first = settleAndWrite(before, now, rules);
  const done = [...leftovers, ...first.effects];
  if (found?.kind === "gone") return { effects: done };
  // An end, or the begin of a saving, concerns prompts once it is stored.
  if (!found && !first.isTurn) return finish(first, done, now, rules);
  const second = settleAndWrite({ ...first.facts, ...(found ? { obstacle: found } : {}) }, now, rules);
  return finish(second, [...done, ...second.effects], now, rules);
}

/** A session that is being deleted already, or a child that its parent, whose status wakes it, has not let in yet. */
function isLeftAlone({ session, obstacle, verdict }: SessionFacts): boolean {
  if (session.metadata.deletionTimestamp !== undefined || obstacle?.kind === "gone") return true;
  return verdict?.kind === "open" && !session.status?.sandbox;
}

function deletion(session: Session): SessionEffect {
  const note =
    "Deleted: it carries the label of a Run that does not own it, as a copy does or what its Run left behind";
  return { kind: "deleteSession", session, event: { type: "Warning", reason: reasons.cancelled, note } };
}

/** The session as the ends of its prompts and one write of its status leave it. */
interface Judged {
  facts: SessionFacts;
  /** As it should be; what is only for people may still have to be written. */
  status: SessionStatus;
  effects: SessionEffect[];
  /** The write stored the end of an attempt, or the begin of a saving. */
  isTurn: boolean;
}

function settleAndWrite(given: SessionFacts, now: Date, { limits }: SessionRules): Judged {
  const { facts, effects } = settlePrompts(given, now);
  const { status, end, saveFailure, lost } = decideStatus(facts, now, limits);
  if (!isFactToWrite(facts, { status, end }, now)) return { facts, status, effects, isTurn: false };
  const wasSaving = facts.session.status?.sandbox?.snapshotTime !== undefined;
  return {
    facts: afterStoring(facts, status),
    status,
    effects: [...effects, { kind: "writeStatus", status, event: eventOf({ end, saveFailure, lost }) }],
    isTurn: end !== undefined || (status.sandbox?.snapshotTime !== undefined && !wasSaving),
  };
}

function eventOf({ end, saveFailure, lost }: Omit<JudgedStatus, "status">): SessionEvent | undefined {
  if (end) return endEvent(end);
  if (lost !== undefined) {
    return { type: "Warning", reason: reasons.workspaceNotRestored, action: "RestoreWorkspace", note: lost };
  }
  if (saveFailure === undefined) return undefined;
  const note = `The workspace of the sandbox could not be saved: ${saveFailure}; it stays up and is tried again later`;
  return { type: "Warning", reason: reasons.workspaceNotSaved, action: "SaveWorkspace", note };
}

function endEvent({ reason, message }: AttemptEnd): SessionEvent {
  return { type: reason === reasons.stopped ? "Normal" : "Warning", reason, action: "StopSandbox", note: message };
}

/** The facts once this status is stored: what the status has taken in counts no more beside it. */
export function afterStoring(facts: SessionFacts, status: SessionStatus): SessionFacts {
  const { sandbox } = status;
  const session = { ...facts.session, status };
  const stored: SessionFacts = {
    ...facts,
    session,
    queue: queueOf(session, facts.prompts),
    start: sandbox?.attempt === facts.start?.attempt ? undefined : facts.start,
    obstacle: facts.obstacle?.kind === "rejected" ? undefined : facts.obstacle,
  };
  if (sandbox?.endTime === undefined) {
    // Of a try to save the volume that has failed nothing counts for the next one.
    return sandbox?.snapshotTime === undefined
      ? { ...stored, volumeSnapshot: undefined, olderSnapshots: undefined }
      : stored;
  }
  // What the runtime of an attempt that is over said must not count as its successor's.
  return { ...stored, lease: undefined, volumeSnapshot: undefined, olderSnapshots: undefined, isSilent: false };
}

/** Adds what follows once the status says what others act on. */
function finish({ facts, status }: Judged, done: readonly SessionEffect[], now: Date, rules: SessionRules): Decision {
  const owner = sessionAsOwner(facts.session);
  const volume = volumeToSave(facts, owner, owner.record);
  const cleaned = cleanUp(facts, owner.record, { isStartToCome: wantsSandbox(facts) });
  const forgotten = promptsToForget(facts, now).map((prompt) => ({ kind: "deletePrompt" as const, prompt }));
  const due = dueStart(facts, now);
  const started = due ? startEffects(facts, due, rules.start) : [];
  const words: SessionEffect[] = !due && isWordsToWrite(facts, status, now) ? [{ kind: "writeStatus", status }] : [];
  // What a start needs is read before a decision, so one that became due only in this one waits for the next.
  const isDueNext = due !== undefined && !facts.ready;
  const isToLook = volume === "look" || isDueNext;
  return {
    effects: [
      ...done,
      ...(volume === "look" ? [] : volume),
      ...opening(facts),
      ...cleaned,
      ...forgotten,
      ...started,
      ...words,
    ],
    wakeAtMs: isToLook ? now.getTime() : wakeAt(facts, status, now, rules.limits),
  };
}

/** Opens the ports of a new pod whose class routes them. */
function opening({ start }: SessionFacts): SessionEffect[] {
  return start?.unopened?.map((object) => ({ kind: "createTunnelObject", of: start, object })) ?? [];
}

function startEffects(
  { session, turns = [], payload, ready, lacksAccount }: SessionFacts,
  due: DueStart,
  config: StartConfig,
): SessionEffect[] {
  const { namespace = "" } = session.metadata;
  if (lacksAccount) return [{ kind: "ensureAccount", namespace, ...lacksAccount }];
  if (!ready) return [];
  const owner = { ...sessionAsOwner(session), earlierTurns: earlierTurns(turns), payload };
  return makeStart(config, owner, due.attempt, ready).map((effect): SessionEffect =>
    effect.kind === "createPod"
      ? { ...effect, due, ofPool: poolAnswer(due, ready), event: startEvent(due, effect.pod) }
      : effect,
  );
}

/** What the start got of pools; undefined where none serves the session. */
function poolAnswer({ isAfterPool }: DueStart, { warm, hasPool = false }: ReadyStart): PoolAnswer | undefined {
  if (warm) return "taken";
  if (isAfterPool) return "unanswered";
  return hasPool ? "empty" : undefined;
}

/** Only a start beside pods that do not go away is worth an Event. */
function startEvent({ givenUp }: DueStart, { metadata }: KubeObject): SessionEvent | undefined {
  if (givenUp.length === 0) return undefined;
  const note = `pod ${givenUp.join(", ")} is still terminating 5 minutes after its sandbox ended: pod ${metadata.name ?? ""} is started beside it`;
  return { type: "Warning", reason: reasons.sandboxLost, action: "StartSandbox", note };
}
