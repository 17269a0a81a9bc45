import { conditionTypes, type Prompt, Run, type SandboxClass, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { isActive } from "../../domain/runs/run-state.ts";
import type { Change } from "../../kube/cache.ts";
import type { Controller } from "../../kube/controller.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { indexNames, type KindInformers, uidKeyOf } from "../kind-informers.ts";
import { isSpecChange } from "../predicates.ts";
import { isHeld, isQueued } from "../queued-session.ts";
import { sessionClock } from "./session-clock.ts";

/** Has every change that concerns a Run bring its key. */
export function watchAll(controller: Controller, informers: KindInformers): void {
  controller.watch(informers.runs, { keysOf: (run) => [keyOf(run)], when: ({ type }) => type !== "deleted" });
  controller.watch(informers.sessions, {
    keysOf: runOfSession,
    when: (change) => isSessionDeleted(change) || isShownOtherwise(change) || movesDeadline(informers, change),
  });
  controller.watch(informers.prompts, { keysOf: (prompt) => runOfPrompt(informers, prompt), when: hasPromptEnded });
  controller.watch(informers.automations, {
    keysOf: (automation) => informers.runs.byIndex(indexNames.automationUid, uidKeyOf(automation)).map(keyOf),
    when: ({ type }) => type === "deleted",
  });
  controller.watch(informers.sandboxClasses, {
    keysOf: (sandboxClass) => runsInLine(informers, sandboxClass),
    when: isSpecChange,
  });
  // Settings that a Run starts with; their changes concern later Runs only, but the caches must be filled.
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
}

function runOfSession({ metadata }: Session): ObjectKey[] {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === Run.kind);
  return owner ? [{ namespace: metadata.namespace, name: owner.name }] : [];
}

function runOfPrompt(informers: KindInformers, { metadata, spec }: Prompt): ObjectKey[] {
  const { name } = spec.sessionRef;
  if (metadata.name !== firstPromptName(name)) return [];
  const session = informers.sessions.get({ namespace: metadata.namespace, name });
  return session ? runOfSession(session) : [];
}

/** The session was deleted, or its deletion began. */
function isSessionDeleted({ type, object, old }: Change<Session>): boolean {
  if (type !== "updated") return type === "deleted";
  return object.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined;
}

/** What the Run's status says of the session has changed. */
function isShownOtherwise({ object, old }: Change<Session>): boolean {
  return old !== undefined && !jsonEqual(shownOf(object), shownOf(old));
}

function shownOf(session: Session): unknown[] {
  const { conditions } = session.status ?? {};
  const ready = findCondition(conditions, conditionTypes.ready);
  const passedOver = findCondition(conditions, conditionTypes.hooksPassedOver);
  return [isHeld(session) ? ready?.reason : undefined, passedOver?.message];
}

/** Another limit counts for the session than before, or from another instant, which the status of its Run shows. */
function movesDeadline({ runs }: KindInformers, { object, old }: Change<Session>): boolean {
  const [key] = runOfSession(object);
  const run = key && runs.get(key);
  if (!run || !old || !isActive(run)) return false;
  return !jsonEqual(sessionClock(run, object), sessionClock(run, old));
}

/** Runs with a session that waits for a place of the class. */
function runsInLine({ sessions }: KindInformers, { metadata }: SandboxClass): ObjectKey[] {
  return sessions
    .list()
    .filter(({ spec: { sandboxClassName = metadata.name } }) => sandboxClassName === metadata.name)
    .filter(isQueued)
    .flatMap(runOfSession);
}

/** The prompt was deleted, its verdict changed, or a result came after its verdict. */
function hasPromptEnded({ type, object, old }: Change<Prompt>): boolean {
  if (type !== "updated") return type === "deleted";
  const cameLate = object.status?.lateResult !== undefined && old.status?.lateResult === undefined;
  return cameLate || verdictOf(object) !== verdictOf(old);
}

function verdictOf({ status }: Prompt): string | undefined {
  return findCondition(status?.conditions, conditionTypes.succeeded)?.status;
}
