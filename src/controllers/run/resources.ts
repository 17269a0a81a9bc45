import { payloadFile, sandboxPaths } from "../../api/runtime/pod-contract.ts";
import {
  isDeliveryType,
  annotations,
  type Automation,
  labels,
  type Prompt,
  Run,
  type Session,
  type SessionTarget,
  type Target,
} from "../../api/v1alpha1/index.ts";
import { instructionsPrompt, deliveryPrompt } from "./first-prompt/compose.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { makePrompt } from "../../domain/prompts/make-prompt.ts";
import { acceptedAt } from "../../domain/runs/run-state.ts";
import { sessionName } from "../../domain/runs/session-name.ts";
import { formatTraceparent, parseTraceparent, spanIdOf } from "../../domain/tracing/trace-context.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { type KubeObject, ownerReferenceTo } from "../../lib/resource.ts";

const longestTitle = 200;

/** The targets of the automation's Runs; without any there is one session with an empty workspace. */
export function targetsOf(automation: Automation): readonly (Target | undefined)[] {
  return automation.spec.targets.length > 0 ? automation.spec.targets : [undefined];
}

/** Kind and name of a target as a Run's status shows them. */
export function shownTarget(target: Target | undefined): string | undefined {
  if (target?.repositoryRef) return `Repository/${target.repositoryRef.name}`;
  return target?.environmentRef ? `Environment/${target.environmentRef.name}` : undefined;
}

/** The session that works on one target of a Run. It does nothing before it has a Prompt. */
export function makeSession(run: Run, automation: Automation, index: number): Session {
  const { metadata, spec } = automation;
  return {
    metadata: {
      name: sessionName(run.metadata.name ?? "", index),
      namespace: run.metadata.namespace,
      labels: { [labels.runUid]: run.metadata.uid ?? "", [labels.automationUid]: metadata.uid ?? "" },
      ...traceAnnotation(run),
      ownerReferences: [ownerReferenceTo(Run, run)],
    },
    spec: {
      ...spec.session,
      title: firstCharacters(`[Auto] ${spec.displayName ?? metadata.name ?? ""}`, longestTitle),
      target: sessionTarget(targetsOf(automation)[index]),
      serviceAccountName: spec.serviceAccountName,
      ...(hasPayloadFile(run, automation) && { payloadRunRef: { name: run.metadata.name ?? "" } }),
      idleTimeoutSeconds: 0,
    },
  };
}

/** The span of the Run, in the trace that its annotation names; without one only its end says whether it has a trace. */
function traceAnnotation({ metadata }: Run): Pick<Session["metadata"], "annotations"> {
  const trace = parseTraceparent(metadata.annotations?.[annotations.traceparent]);
  if (!trace) return {};
  const spanId = spanIdOf(`run ${metadata.uid ?? ""}`);
  return { annotations: { [annotations.traceparent]: formatTraceparent({ ...trace, spanId }) } };
}

/** The first prompt of a session; `run` must hold its payload. */
export function makeFirstPrompt(run: Run, automation: Automation, session: Session): Prompt {
  const text = promptText(run, automation);
  return makePrompt(session, { name: firstPromptName(session.metadata.name ?? ""), text });
}

/** Whether the stored object of the name was made for the same owner as the one that is wanted. */
export function isOwnedAlike(found: KubeObject, wanted: KubeObject): boolean {
  const owners = new Set(found.metadata.ownerReferences?.map(({ uid }) => uid));
  const isOwned = wanted.metadata.ownerReferences?.every(({ uid }) => owners.has(uid)) ?? false;
  const wantedLabels = Object.entries(wanted.metadata.labels ?? {});
  return isOwned && wantedLabels.every(([name, value]) => found.metadata.labels?.[name] === value);
}

/** Whether the stored spec has every wanted field; it may have more, which the API server filled in by default. */
export function isSpecifiedAlike<T extends { spec: object }>(found: T, wanted: T): boolean {
  return jsonEqual({ ...found.spec, ...wanted.spec }, found.spec);
}

function promptText(run: Run, automation: Automation): string {
  const { instructions } = automation.spec;
  const { type, payload } = run.spec.trigger;
  if (!isDeliveryType(type)) return instructionsPrompt(instructions);
  const file = hasPayloadFile(run, automation) ? `${sandboxPaths.home}/${payloadFile}` : undefined;
  return deliveryPrompt(instructions, { type, receivedAt: new Date(acceptedAt(run)), payload, file });
}

function hasPayloadFile({ spec }: Run, automation: Automation): boolean {
  const { webhook } = automation.spec.trigger;
  return spec.trigger.payload !== undefined && webhook?.payloadFile === true;
}

function sessionTarget(target: Target | undefined): SessionTarget {
  if (target?.repositoryRef) return { repositoryRefs: [target.repositoryRef] };
  return target?.environmentRef ? { environmentRef: target.environmentRef } : {};
}
