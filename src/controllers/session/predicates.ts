import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { childRefusal } from "../../domain/children/parent.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { Change } from "../../kube/cache.ts";
import type { Lease, Pod } from "../../kube/core-resources.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { attemptOf } from "../sandbox/labels.ts";
import { observeLease } from "../sandbox/observe/lease-notes.ts";
import { bootShownAt } from "./decide/start.ts";

/** Nobody but the controller writes a session's status, so only wishes, owners and deletion are news. */
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
  return !jsonEqual(object.status?.children, old?.status?.children);
}

/** A child that came or went, is going, or has taken its refusal over. */
export function childMatters({ type, object, old }: Change<Session>): boolean {
  if (type !== "updated") return true;
  return (
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp || childRefusal(object) !== childRefusal(old)
  );
}

/** A prompt that came, ended, went or is to be cancelled, or that has no session. */
export function promptMatters({ type, object, old }: Change<Prompt>, session: Session | undefined): boolean {
  if (!session) return type !== "deleted";
  if (type === "added") return !isSettled(object);
  if (type === "deleted") return !isSettled(object);
  return (
    isSettled(object) !== isSettled(old) ||
    object.spec.cancel !== old.spec.cancel ||
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp
  );
}

/**
 * What the kubelet reports on its way to a running container is no news, nor is anything about a pod whose attempt is
 * over, until it is gone and somebody waits for that.
 */
export function podMatters(change: Change<Pod>, session: Session | undefined): boolean {
  const { type, object, old } = change;
  // Nobody's pod: its session went without it.
  if (!session) return type !== "deleted" && object.metadata.deletionTimestamp === undefined;
  const { sandbox, queue } = session.status ?? {};
  const isOver = sandbox !== undefined && (attemptOf(object.metadata) < sandbox.attempt || isEnded(sandbox, object));
  if (type === "deleted") return !isOver || queue !== undefined;
  if (isOver) return false;
  return !jsonEqual(podState(object), old ? podState(old) : untouched);
}

function isEnded({ attempt, endTime }: { attempt: number; endTime?: string | undefined }, pod: Pod): boolean {
  return attemptOf(pod.metadata) === attempt && endTime !== undefined;
}

const untouched = podState({ metadata: {} });

/**
 * Ready, failed to boot, or connected after boot was shown; a renewal is not news, and neither is a Lease that goes with
 * its attempt. A runtime that connects before that decides nothing: the look that shows the boot finds it connected,
 * and so does the connect watchdog.
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
