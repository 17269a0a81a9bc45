import {
  Automation,
  type AutomationStatus,
  labels,
  Prompt,
  type PromptStatus,
  reasons,
  Run,
  type RunStatus,
  Session,
} from "../../api/v1alpha1/index.ts";
import { isSettled, stateOf } from "../../domain/runs/run-state.ts";
import { skippedBefore } from "../../domain/runs/skipped-run.ts";
import type { KubeClient } from "../../kube/client.ts";
import { conflict, isInvalid } from "../../kube/errors.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { TerminalError } from "../../kube/outcome.ts";
import { keyOf, keyText, type KubeObject, type Resource } from "../../lib/resource.ts";
import { strippedPayload } from "../kind-informers.ts";
import type { RunMetrics } from "../metrics/run-metrics.ts";
import { failureOrigin } from "./failure-origin.ts";
import { isOfFormer, otherAccount } from "./ownership.ts";
import { makeSkippedCopy } from "./skipped-copy.ts";
import { isOwnedAlike, isSpecifiedAlike, makeFirstPrompt } from "./resources.ts";

/** One write. Each leaves a state that the next pass can go on from. */
export type RunEffect = (
  | { kind: "labelRun"; automationUid: string }
  | { kind: "writeAutomation"; automation: Automation; status: AutomationStatus }
  | { kind: "createSession"; session: Session }
  | { kind: "writeRun"; status: RunStatus }
  /** Of the session as it was observed, or as an earlier effect of the decision creates it. */
  | { kind: "createPrompt"; automation: Automation; session: Session }
  | { kind: "settlePrompt"; prompt: Prompt; status: PromptStatus }
  | { kind: "deleteSession"; session: Session }
  /** Creates the Run that stands for this one, which was skipped, once its idempotency key is free. */
  | { kind: "copySkipped" }
  | { kind: "deleteRun" }
) & { events?: readonly RunEvent[] };

/** An Event to record once the write succeeded. */
export interface RunEvent {
  on: "Run" | "Automation";
  type: "Normal" | "Warning";
  reason: string;
  note: string;
}

export interface RunDecision {
  /** Performed in this order; the first failure ends the pass. */
  effects: readonly RunEffect[];
  /** Milliseconds after which the Run must be looked at again, if no event comes before. */
  requeueMs?: number | undefined;
}

export interface RunEffectsDeps {
  client: Pick<KubeClient, "find" | "get" | "create" | "patch" | "patchStatus" | "delete">;
  events: Pick<EventRecorder, "record">;
  runMetrics?: RunMetrics | undefined;
}

/** Performs effects on one Run and keeps its latest version. Throws a TerminalError for what can never succeed. */
export class RunEffects {
  readonly #deps: RunEffectsDeps;
  readonly #signal: AbortSignal;
  readonly #created = new Map<string, Session>();
  #run: Run;

  constructor(deps: RunEffectsDeps, run: Run, signal: AbortSignal) {
    this.#deps = deps;
    this.#run = run;
    this.#signal = signal;
  }

  /** The Run as the last write left it. */
  get run(): Run {
    return this.#run;
  }

  async performAll(effects: readonly RunEffect[]): Promise<void> {
    for (const effect of effects) {
      await this.#perform(effect);
      for (const event of effect.events ?? []) this.#record(event, effect);
    }
  }

  async #perform(effect: RunEffect): Promise<void> {
    const { client } = this.#deps;
    const options = { signal: this.#signal };
    switch (effect.kind) {
      case "labelRun":
        return this.#label(effect.automationUid);
      case "writeAutomation":
        await this.#ensureUnchanged();
        await client.patchStatus(Automation, effect.automation, effect.status, options);
        this.#countPause(effect);
        return;
      case "createSession":
        return this.#createSession(effect.session);
      case "writeRun":
        return this.#writeRun(effect.status);
      case "createPrompt":
        return this.#createPrompt(effect.automation, effect.session);
      case "settlePrompt":
        await client.patchStatus(Prompt, effect.prompt, effect.status, options);
        return;
      case "deleteSession":
        return this.#delete(Session, effect.session);
      case "copySkipped":
        return this.#copySkipped();
      case "deleteRun":
        return this.#delete(Run, this.#run);
    }
  }

  async #createSession(wanted: Session): Promise<void> {
    const session = await this.#createChild(Session, wanted);
    this.#created.set(session.metadata.name ?? "", session);
  }

  async #label(automationUid: string): Promise<void> {
    const { resourceVersion } = this.#run.metadata;
    const patch = { metadata: { resourceVersion, labels: { [labels.automationUid]: automationUid } } };
    this.#run = await this.#deps.client.patch(Run, keyOf(this.#run), patch, { signal: this.#signal });
  }

  /**
   * Fencing: an automation counts only Runs that are stored as they were judged. The cache of a new leader may be behind
   * and not show yet that its predecessor has counted the Run.
   */
  async #ensureUnchanged(): Promise<Run> {
    const key = keyOf(this.#run);
    const live = await this.#deps.client.find(Run, key, { signal: this.#signal });
    if (live && live.metadata.resourceVersion === this.#run.metadata.resourceVersion) return live;
    const message = `Run ${keyText(key)} has changed since it was judged`;
    throw conflict(message);
  }

  #countPause({ events = [] }: RunEffect): void {
    const isPause = events.some(({ reason }) => reason === reasons.tooManyFailures);
    if (isPause) this.#deps.runMetrics?.pausedByFailures();
  }

  async #writeRun(status: RunStatus): Promise<void> {
    const before = this.#run;
    this.#run = await this.#deps.client.patchStatus(Run, before, status, { signal: this.#signal });
    // The Run that a copy stands for was counted.
    if (isSettled(before) || !isSettled(this.#run) || skippedBefore(before)) return;
    this.#deps.runMetrics?.runEnded(stateOf(this.#run), failureOrigin(this.#run));
  }

  async #createPrompt(automation: Automation, wanted: Session): Promise<void> {
    const { client } = this.#deps;
    // The prompt's text needs the payload, which the cache does not hold; nothing is decided by it.
    const isCached = this.#run.spec.trigger.payload === strippedPayload;
    const run = isCached ? await client.get(Run, keyOf(this.#run), { signal: this.#signal }) : this.#run;
    const session = this.#created.get(wanted.metadata.name ?? "") ?? wanted;
    // An admission webhook may have changed the session when it was created.
    const verdict = otherAccount(session, automation);
    if (verdict) throw new TerminalError(verdict.reason, verdict.message);
    await this.#createChild(Prompt, makeFirstPrompt(run, automation, session));
  }

  async #copySkipped(): Promise<void> {
    const { client } = this.#deps;
    // The cache does not hold the payload.
    const copy = makeSkippedCopy(await this.#ensureUnchanged());
    try {
      await client.create(Run, copy, { signal: this.#signal });
    } catch (error) {
      const found = await nameHolder<Run>(client, Run, { object: copy, error }, { signal: this.#signal });
      // Of another Run: it is in the way until it is gone.
      if (!found || skippedBefore(found)?.uid !== this.#run.metadata.uid) throw error;
    }
  }

  /**
   * Creates a child under its deterministic name. Where it exists already, an earlier attempt made it, which is as good:
   * the look at what has the name is what keeps two attempts from making two children. It may fill the quota that refuses it now.
   */
  async #createChild<T extends KubeObject & { spec: object }>(resource: Resource<T>, child: T): Promise<T> {
    const { client } = this.#deps;
    const options = { signal: this.#signal };
    try {
      return await client.create(resource, child, options);
    } catch (error) {
      const found = await nameHolder(client, resource, { object: child, error }, options);
      // The same object would be refused again.
      if (!found && isInvalid(error)) throw new TerminalError(reasons.invalidSpec, error.message, { cause: error });
      // Refused for now, or deleted between the two requests: the next pass makes it.
      if (!found) throw error;
      const problem = notTheChild(found, child, resource);
      if (problem) throw problem;
      // Made for an earlier spec of the automation: the cache shows it in a moment, and the next pass removes it.
      if (!isSpecifiedAlike(found, child)) throw error;
      return found;
    }
  }

  async #delete(resource: Resource<KubeObject>, object: KubeObject): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const options = { uid, resourceVersion, propagationPolicy: "Background" as const, signal: this.#signal };
    await this.#deps.client.delete(resource, keyOf(object), options);
  }

  #record({ on, ...facts }: RunEvent, effect: RunEffect): void {
    const isAboutAutomation = on === "Automation" && effect.kind === "writeAutomation";
    const regarding = isAboutAutomation ? referenceTo(Automation, effect.automation) : referenceTo(Run, this.#run);
    this.#deps.events.record({ ...facts, regarding });
  }
}

/** Why what has the child's name is not the child; undefined where an earlier attempt may have made it. */
function notTheChild(found: KubeObject, child: KubeObject, { kind }: Resource<KubeObject>): Error | undefined {
  const named = `${kind} ${child.metadata.name ?? ""}`;
  if (child.metadata.ownerReferences?.some((owner) => isOfFormer(found, owner))) {
    return new Error(`${named} of a former object of its owner's name is still there, and is deleted with that one`);
  }
  if (isOwnedAlike(found, child)) return undefined;
  return new TerminalError(reasons.nameTaken, `${named} exists and belongs to something else`);
}
