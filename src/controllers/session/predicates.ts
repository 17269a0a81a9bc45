import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { childRefusal } from "../../domain/children/parent.ts";
import { costLimitOf } from "../../domain/costs/limit.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { ownerUidOf } from "../../domain/attempts/owner-labels.ts";
import type { Change } from "../../kube/cache.ts";
import type { Lease, Pod } from "../../kube/core-resources.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { isQueued } from "../queued-session.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { attemptOf } from "../sandbox/labels.ts";
import { costNoted, observeLease } from "../sandbox/observe/lease-notes.ts";
import { bootShownAt } from "./decide/start.ts";

/** Only the controller writes a session's status, so changes of spec, owners and deletion alone count. */
export function sessionMatters({ type, object, old }: Change<Session>): boolean {
  if (type !== "updated") return true;
  return (
    object.metadata.generation !== old.metadata.generation ||
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    object.metadata.ownerReferences?.length !== old.metadata.ownerReferences?.length
  );
}

/** Children act on what their parent has decided about them. */
export function childrenMatter({ object, old }: Change<Session>): boolean {
  return !jsonEqual(decided(object), decided(old));
}

function decided(session: Session | undefined): object | undefined {
  const { children } = session?.status ?? {};
  return children && { ...children, costs: undefined };
}

/** A child that came or went, is going, has taken its refusal over, waits or no longer waits for a place, or has cost more. */
export function childMatters(change: Change<Session>): boolean {
  const { type, object, old } = change;
  if (type !== "updated") return true;
  return (
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    childRefusal(object) !== childRefusal(old) ||
    isQueued(object) !== isQueued(old) ||
    costMatters(change)
  );
}

/** It has cost more, or one below it has. */
export function costMatters({ object, old }: Change<Session>): boolean {
  const costs = ({ status }: Session): unknown[] => [status?.costUsd, status?.children?.costs];
  return !jsonEqual(costs(object), old ? costs(old) : [undefined, undefined]);
}

/** A limit that those below it share. */
export function costLimitMatters({ object, old }: Change<Session>): boolean {
  return old !== undefined && costLimitOf(object) !== costLimitOf(old);
}

/** The gateway has noted more cost. */
export function costNoteMatters({ type, object, old }: Change<Lease>): boolean {
  return type !== "deleted" && costNoted(object) !== (old && costNoted(old));
}

/** A prompt that came, ended, went or is to be cancelled, or that has no session. */
export function promptMatters({ type, object, old }: Change<Prompt>, session: Session | undefined): boolean {
  if (!session) return type !== "deleted";
  if (type !== "updated") return !isSettled(object);
  return (
    isSettled(object) !== isSettled(old) ||
    object.spec.cancel !== old.spec.cancel ||
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp
  );
}

/**
 * What the kubelet reports before the container runs does not count, nor does anything about a pod whose attempt is over,
 * except its deletion while prompts wait for that. The status may not have them in its queue yet: a pass that writes them
 * there has found the pod still in its way.
 */
export function podMatters(
  { type, object, old }: Change<Pod>,
  session: Session | undefined,
  prompts: readonly Prompt[],
): boolean {
  // Its session was deleted without it.
  if (!session) return type !== "deleted" && object.metadata.deletionTimestamp === undefined;
  const { sandbox } = session.status ?? {};
  const isOver = sandbox !== undefined && isPast(object, sandbox);
  if (type === "deleted") return !isOver || !prompts.every(isSettled);
  return !isOver && hasChanged(object, old);
}

function hasChanged(pod: Pod, old: Pod | undefined): boolean {
  if (!old) return !jsonEqual(podState(pod), untouched);
  // Another owner: another process has handed it over.
  return ownerUidOf(old.metadata) !== ownerUidOf(pod.metadata) || !jsonEqual(podState(pod), podState(old));
}

function isPast(pod: Pod, { attempt, endTime }: Sandbox): boolean {
  const own = attemptOf(pod.metadata);
  return own < attempt || (own === attempt && endTime !== undefined);
}

const untouched = podState({ metadata: {} });

/**
 * Ready, failed to boot, or connected after boot was shown; a renewal does not count, nor does a Lease that goes with its
 * attempt. A runtime that connects before that changes nothing: the pass that shows the boot finds it connected, and so
 * does the connect watchdog.
 */
export function leaseMatters({ type, object, old }: Change<Lease>, session: Session | undefined, now: Date): boolean {
  if (type === "deleted") return false;
  const said = observeLease(object);
  if (old) return !jsonEqual(said, observeLease(old));
  return said.isReady || said.bootFailure !== undefined || isBootShown(session, now);
}

function isBootShown(session: Session | undefined, now: Date): boolean {
  const { sandbox } = session?.status ?? {};
  const shownMs = sandbox && bootShownAt(sandbox);
  return shownMs !== undefined && now.getTime() >= shownMs;
}
