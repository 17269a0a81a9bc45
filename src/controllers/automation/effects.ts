import { Automation, type AutomationStatus, Run, Session } from "../../api/v1alpha1/index.ts";
import { replacedData } from "../../domain/keys.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { conflict, isAlreadyExists, isNotFound, isRefused } from "../../kube/errors.ts";
import type { EventFacts, EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { keyOf, keyText } from "../../lib/resource.ts";

/** One write, and the Events about the automation that are recorded once it succeeded. */
export type AutomationEffect = (
  | { kind: "createRun"; run: Run }
  | { kind: "createKey"; secret: Secret }
  | { kind: "replaceKey"; existing: Secret; secret: Secret }
  | { kind: "deleteKey"; existing: Secret }
  | { kind: "writeStatus"; status: AutomationStatus }
  | { kind: "deleteRun"; run: Run }
  | { kind: "deleteSession"; session: Session }
  | { kind: "emptyRun"; run: Run }
) & { events?: readonly Omit<EventFacts, "regarding">[] };

export interface AutomationDecision {
  /** Performed in this order by {@link performAll}; a Run of a slot is the first. */
  effects: readonly AutomationEffect[];
  /** Milliseconds until time alone changes the history or makes a slot due. */
  requeueMs: number | undefined;
  /** Milliseconds for which the observed key Secrets count; undefined when they do not matter. */
  keysCountMs: number | undefined;
  /** Milliseconds until a change of activity alone is written; undefined when none waits. */
  gatheringMs: number | undefined;
}

export interface AutomationEffectsDeps {
  client: Pick<KubeClient, "create" | "patch" | "patchStatus" | "delete">;
  events: Pick<EventRecorder, "record">;
}

const ofHistory: ReadonlySet<AutomationEffect["kind"]> = new Set(["deleteRun", "deleteSession", "emptyRun"]);

/**
 * Performs a decision on the automation as it was observed; the first failure ends the pass. Where the Run of a slot is refused, as
 * by a full quota, the history is pruned before that: its Runs may be what fills the quota.
 */
export async function performAll(
  deps: AutomationEffectsDeps,
  automation: Automation,
  effects: readonly AutomationEffect[],
  signal: AbortSignal,
): Promise<void> {
  const perform = async (some: readonly AutomationEffect[]): Promise<void> => {
    for (const effect of some) await performEffect(deps, automation, effect, signal);
  };
  const [first] = effects;
  if (first?.kind !== "createRun") return perform(effects);
  try {
    await perform([first]);
  } catch (error) {
    if (isRefused(error)) await perform(effects.filter(({ kind }) => ofHistory.has(kind)));
    throw error;
  }
  await perform(effects.slice(1));
}

/** Performs one effect on the automation as it was observed. */
async function performEffect(
  { client, events }: AutomationEffectsDeps,
  automation: Automation,
  effect: AutomationEffect,
  signal: AbortSignal,
): Promise<void> {
  const stored = await write(client, automation, effect, signal);
  for (const event of effect.events ?? []) events.record({ ...event, regarding: referenceTo(Automation, stored) });
}

/** Whether the effect changes the Secret of the automation's key. */
export function isAboutKeys({ kind }: AutomationEffect): boolean {
  return kind === "createKey" || kind === "replaceKey" || kind === "deleteKey";
}

/** Returns the automation as it is stored thereafter. */
async function write(
  client: AutomationEffectsDeps["client"],
  automation: Automation,
  effect: AutomationEffect,
  signal: AbortSignal,
): Promise<Automation> {
  switch (effect.kind) {
    case "createRun":
      await createRun(client, effect.run, signal);
      break;
    case "createKey":
      await client.create(secrets, effect.secret, { signal });
      break;
    case "replaceKey": {
      const { resourceVersion } = effect.existing.metadata;
      const { annotations } = effect.secret.metadata;
      const data = replacedData(effect.existing.data, effect.secret.data);
      const patch = { metadata: { resourceVersion, annotations }, data };
      await client.patch(secrets, keyOf(effect.existing), patch, { signal });
      break;
    }
    case "deleteKey": {
      // A key that was issued since it was read stays.
      const { uid, resourceVersion } = effect.existing.metadata;
      await client.delete(secrets, keyOf(effect.existing), { uid, resourceVersion, signal });
      break;
    }
    case "writeStatus":
      return client.patchStatus(Automation, automation, effect.status, { signal });
    case "deleteRun": {
      const { uid, resourceVersion } = effect.run.metadata;
      await client.delete(Run, keyOf(effect.run), { uid, resourceVersion, signal });
      break;
    }
    case "deleteSession":
      await client.delete(Session, keyOf(effect.session), { uid: effect.session.metadata.uid, signal });
      break;
    case "emptyRun":
      await emptyRun(client, effect.run, signal);
      break;
  }
  return automation;
}

async function createRun(client: Pick<KubeClient, "create">, run: Run, signal: AbortSignal): Promise<void> {
  try {
    await client.create(Run, run, { signal });
  } catch (cause) {
    if (!isAlreadyExists(cause)) throw cause;
    // Another controller created it since the look, which the next pass sees.
    const message = `Run ${keyText(keyOf(run))} was created meanwhile`;
    throw conflict(message, cause);
  }
}

/** Leaves of a Run its name, which remembers the idempotency key; the key's text may be as long as the payload. */
async function emptyRun(client: Pick<KubeClient, "patch">, run: Run, signal: AbortSignal): Promise<void> {
  const { resourceVersion } = run.metadata;
  const patch = { metadata: { resourceVersion }, spec: { trigger: { payload: null, idempotencyKey: null } } };
  try {
    await client.patch(Run, keyOf(run), patch, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
