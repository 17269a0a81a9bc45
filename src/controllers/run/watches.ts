import { conditionTypes, type Prompt, Run, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import type { Change } from "../../kube/cache.ts";
import type { Controller } from "../../kube/controller.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { indexNames, type KindInformers, uidKeyOf } from "../kind-informers.ts";

/** Has every change that concerns a Run bring its key. */
export function watchAll(controller: Controller, informers: KindInformers): void {
  controller.watch(informers.runs, { keysOf: (run) => [keyOf(run)], when: ({ type }) => type !== "deleted" });
  controller.watch(informers.sessions, { keysOf: runOfSession, when: isSessionDeleted });
  controller.watch(informers.prompts, { keysOf: (prompt) => runOfPrompt(informers, prompt), when: hasPromptEnded });
  controller.watch(informers.automations, {
    keysOf: (automation) => informers.runs.byIndex(indexNames.automationUid, uidKeyOf(automation)).map(keyOf),
    when: ({ type }) => type === "deleted",
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

/** The prompt was deleted, its verdict changed, or a result came after its verdict. */
function hasPromptEnded({ type, object, old }: Change<Prompt>): boolean {
  if (type !== "updated") return type === "deleted";
  const cameLate = object.status?.lateResult !== undefined && old.status?.lateResult === undefined;
  return cameLate || verdictOf(object) !== verdictOf(old);
}

function verdictOf({ status }: Prompt): string | undefined {
  return findCondition(status?.conditions, conditionTypes.succeeded)?.status;
}
