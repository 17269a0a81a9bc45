import {
  Automation,
  Environment,
  Integration,
  labels,
  PrebuiltImage,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  SandboxPool,
  Session,
  Skill,
} from "../api/v1alpha1/index.ts";
import { automationUidOf } from "../domain/runs/automation-uid.ts";
import { keepOwnMetadata } from "../domain/own-metadata.ts";
import { parentReference } from "../domain/children/parent.ts";
import { Informer, type InformerDeps } from "../kube/informer.ts";
import { keyText, type KubeObject } from "../lib/resource.ts";
import { withoutContent } from "./sandbox/skills/without-content.ts";

/** Names of the indexes that {@link kindInformers} keeps. */
export const indexNames = {
  /** Runs by {@link uidKeyOf} of their Automation. */
  automationUid: "automationUid",
  /** Sessions by {@link uidKeyOf} of the Run that made them. */
  runUid: "runUid",
  /** Sessions by {@link uidKeyOf} of the prebuilt image of their target. */
  imageUid: "imageUid",
  /** Child sessions by {@link uidKeyOf} of their parent. */
  parentUid: "parentUid",
  /** Prompts, and pods of sandboxes, by `namespace/name` of their Session. */
  session: "session",
} as const;

/** Caches of our own kinds, one for all controllers of the process. */
export type KindInformers = ReturnType<typeof kindInformers>;

/** Caches of everything, or of one or some namespaces and what belongs to none. */
export function kindInformers(
  deps: InformerDeps,
  selection: { namespace?: string; namespaces?: readonly string[] | undefined } = {},
) {
  const ours = { ...selection, transform: keepOwnMetadata };
  return {
    automations: new Informer<Automation>(deps, Automation, ours),
    runs: new Informer<Run>(deps, Run, {
      ...selection,
      transform: withoutPayload,
      indexes: { [indexNames.automationUid]: byAutomation },
    }),
    sessions: new Informer<Session>(deps, Session, {
      ...ours,
      indexes: { [indexNames.runUid]: byRun, [indexNames.parentUid]: byParent, [indexNames.imageUid]: byImage },
    }),
    prompts: new Informer<Prompt>(deps, Prompt, {
      ...selection,
      transform: withoutText,
      indexes: { [indexNames.session]: bySession },
    }),
    repositories: new Informer<Repository>(deps, Repository, ours),
    environments: new Informer<Environment>(deps, Environment, ours),
    prebuiltImages: new Informer<PrebuiltImage>(deps, PrebuiltImage, ours),
    skills: new Informer<Skill>(deps, Skill, {
      ...selection,
      transform: (skill) => keepOwnMetadata(withoutContent(skill)),
    }),
    sandboxPools: new Informer<SandboxPool>(deps, SandboxPool, ours),
    sandboxClasses: new Informer<SandboxClass>(deps, SandboxClass, { transform: keepOwnMetadata }),
  };
}

/** Cache of Integrations, which two controllers share. */
export function integrationInformers(
  deps: InformerDeps,
  selection: { namespace?: string | undefined; namespaces?: readonly string[] | undefined } = {},
) {
  return { integrations: new Informer<Integration>(deps, Integration, { ...selection, transform: keepOwnMetadata }) };
}

export type IntegrationInformers = ReturnType<typeof integrationInformers>;

/** What a cache holds in place of a Run's payload; no delivery has it, since an empty body is not JSON. */
export const strippedPayload = "";

/** Payloads and keys would make the cache a hundred times as large; an empty one still tells that there is one. */
function withoutPayload(run: Run): Run {
  if (run.spec.trigger.payload !== undefined) run.spec.trigger.payload = strippedPayload;
  if (run.spec.trigger.idempotencyKey !== undefined) run.spec.trigger.idempotencyKey = "";
  return keepOwnMetadata(run);
}

/** A prompt as caches keep it: the gateway reads its text when it sends it, controllers never need it. The object is changed. */
export function withoutText(prompt: Prompt): Prompt {
  prompt.spec.text = "";
  return keepOwnMetadata(prompt);
}

/** Indexes objects by the value of a label. */
export function byLabel(label: string): (object: KubeObject) => readonly string[] {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}

/**
 * Key of what belongs to an object. People write references and labels, so they count within the object's namespace only,
 * beyond which their rights may not reach.
 */
export function uidKeyOf({ metadata }: KubeObject): string {
  return keyText({ namespace: metadata.namespace, name: metadata.uid ?? "" });
}

/** The key of the object with that UID to which `metadata` belongs. */
function keyWithin({ namespace }: KubeObject["metadata"], uid: string | undefined): readonly string[] {
  return uid === undefined ? [] : [keyText({ namespace, name: uid })];
}

function byAutomation(run: Run): readonly string[] {
  return keyWithin(run.metadata, automationUidOf(run));
}

function byRun({ metadata }: Session): readonly string[] {
  return keyWithin(metadata, metadata.labels?.[labels.runUid]);
}

function byParent(session: Session): readonly string[] {
  return keyWithin(session.metadata, parentReference(session)?.uid);
}

function byImage({ metadata, status }: Session): readonly string[] {
  return keyWithin(metadata, status?.prebuiltImage?.uid);
}

function bySession({ metadata, spec }: Prompt): readonly string[] {
  return [keyText({ namespace: metadata.namespace, name: spec.sessionRef.name })];
}
