import {
  Automation,
  Environment,
  labels,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  Session,
} from "../api/v1alpha1/index.ts";
import { parentReference } from "../domain/children/parent.ts";
import { Informer, type InformerDeps } from "../kube/informer.ts";
import { keyText, type KubeObject } from "../lib/resource.ts";

/** Names of the indexes that {@link kindInformers} keeps. */
export const indexNames = {
  /** Runs by UID of their Automation. */
  automationUid: "automationUid",
  /** Sessions by UID of the Run that made them. */
  runUid: "runUid",
  /** Child sessions by the UID of their parent. */
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
  return {
    automations: new Informer(deps, Automation, selection),
    runs: new Informer(deps, Run, {
      ...selection,
      transform: withoutPayload,
      indexes: { [indexNames.automationUid]: byLabel(labels.automationUid) },
    }),
    sessions: new Informer(deps, Session, {
      ...selection,
      indexes: { [indexNames.runUid]: byLabel(labels.runUid), [indexNames.parentUid]: byParent },
    }),
    prompts: new Informer(deps, Prompt, {
      ...selection,
      transform: withoutText,
      indexes: { [indexNames.session]: bySession },
    }),
    repositories: new Informer(deps, Repository, selection),
    environments: new Informer(deps, Environment, selection),
    sandboxClasses: new Informer(deps, SandboxClass),
  };
}

/** What a cache holds in place of a Run's payload; no delivery has it, since an empty body is not JSON. */
export const strippedPayload = "";

/** Payloads and keys would make the cache a hundred times as large; an empty one still tells that there is one. */
function withoutPayload(run: Run): Run {
  if (run.spec.trigger.payload !== undefined) run.spec.trigger.payload = strippedPayload;
  if (run.spec.trigger.idempotencyKey !== undefined) run.spec.trigger.idempotencyKey = "";
  return run;
}

/** The gateway reads a prompt's text when it sends it; controllers never need it. */
function withoutText(prompt: Prompt): Prompt {
  prompt.spec.text = "";
  return prompt;
}

/** Indexes objects by the value of a label. */
export function byLabel(label: string): (object: KubeObject) => readonly string[] {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}

function byParent(session: Session): readonly string[] {
  const parent = parentReference(session);
  return parent ? [parent.uid] : [];
}

function bySession({ metadata, spec }: Prompt): readonly string[] {
  return [keyText({ namespace: metadata.namespace, name: spec.sessionRef.name })];
}
