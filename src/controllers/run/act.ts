import { Automation, labels, Prompt, reasons, Run, type RunStatus, Session } from "../../api/v1alpha1/index.ts";
import { failureOrigin } from "./failure-origin.ts";
import { isSettled, stateOf } from "../../domain/runs/run-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isInvalid, KubeError } from "../../kube/errors.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { TerminalError } from "../../kube/outcome.ts";
import { keyOf, keyText, type KubeObject, type Resource } from "../../lib/resource.ts";
import type { RunMetrics } from "../metrics/run-metrics.ts";
import { strippedPayload } from "../kind-informers.ts";
import type { RunAction, RunEvent } from "./action.ts";
import { isOwnedAlike, isSpecifiedAlike, makeFirstPrompt } from "./resources.ts";

export interface RunActorDeps {
  client: Pick<KubeClient, "find" | "get" | "create" | "patch" | "patchStatus" | "delete">;
  events: Pick<EventRecorder, "record">;
  runMetrics?: RunMetrics | undefined;
}

/**
 * Carries out one plan for one Run, whose version goes on with each write. What can never be carried out ends in a
 * TerminalError.
 */
export class RunActor {
  readonly #deps: RunActorDeps;
  readonly #signal: AbortSignal;
  readonly #sessions = new Map<string, Session>();
  #run: Run;

  constructor(deps: RunActorDeps, run: Run, signal: AbortSignal) {
    this.#deps = deps;
    this.#run = run;
    this.#signal = signal;
  }

  /** The Run as the last write left it. */
  get run(): Run {
    return this.#run;
  }

  async actAll(actions: readonly RunAction[]): Promise<void> {
    for (const action of actions) {
      await this.#act(action);
      for (const event of action.events ?? []) this.#record(event, action);
    }
  }

  async #act(action: RunAction): Promise<void> {
    const { client } = this.#deps;
    const options = { signal: this.#signal };
    switch (action.kind) {
      case "labelRun":
        this.#run = await client.patch(Run, keyOf(this.#run), this.#labelPatch(action.automationUid), options);
        return;
      case "writeAutomation":
        await this.#ensureUnchanged();
        await client.patchStatus(Automation, action.automation, action.status, options);
        this.#countPause(action);
        return;
      case "createSession":
        this.#sessions.set(action.session.metadata.name ?? "", await this.#create(Session, action.session));
        return;
      case "writeRun":
        return this.#writeRun(action.status);
      case "createPrompt":
        return this.#createPrompt(action.automation, action.session);
      case "settlePrompt":
        await client.patchStatus(Prompt, action.prompt, action.status, options);
        return;
      case "deleteSession":
        await this.#delete(Session, action.session);
        return;
      case "deleteRun":
        return this.#delete(Run, this.#run);
    }
  }

  /**
   * An automation counts only Runs that are stored as they were judged: the cache of a new leader may lag behind and lack
   * that its predecessor has counted the Run.
   */
  async #ensureUnchanged(): Promise<void> {
    const key = keyOf(this.#run);
    const live = await this.#deps.client.find(Run, key, { signal: this.#signal });
    if (live?.metadata.resourceVersion === this.#run.metadata.resourceVersion) return;
    const message = `Run ${keyText(key)} has changed since it was judged`;
    throw new KubeError({ message, status: 409, reason: "Conflict", delivery: "received" });
  }

  #countPause({ events = [] }: RunAction): void {
    const isPause = events.some(({ reason }) => reason === reasons.tooManyFailures);
    if (isPause) this.#deps.runMetrics?.pausedByFailures();
  }

  async #writeRun(status: RunStatus): Promise<void> {
    const before = this.#run;
    this.#run = await this.#deps.client.patchStatus(Run, before, status, { signal: this.#signal });
    if (isSettled(before) || !isSettled(this.#run)) return;
    this.#deps.runMetrics?.runEnded(stateOf(this.#run), failureOrigin(this.#run));
  }

  #labelPatch(automationUid: string): object {
    const { resourceVersion } = this.#run.metadata;
    return { metadata: { resourceVersion, labels: { [labels.automationUid]: automationUid } } };
  }

  async #createPrompt(automation: Automation, sessionName: string): Promise<void> {
    const { client } = this.#deps;
    const { namespace } = this.#run.metadata;
    const options = { signal: this.#signal };
    // A run that was planned from a cache has lost its payload there.
    const isCached = this.#run.spec.trigger.payload === strippedPayload;
    const run = isCached ? await client.get(Run, keyOf(this.#run), options) : this.#run;
    const session =
      this.#sessions.get(sessionName) ?? (await client.get(Session, { namespace, name: sessionName }, options));
    const { serviceAccountName } = automation.spec;
    if (session.spec.serviceAccountName !== serviceAccountName) throw sessionChanged(session, serviceAccountName);
    await this.#create(Prompt, makeFirstPrompt(run, automation, session));
  }

  /** Creates a child under its deterministic name; one that an earlier attempt made is as good. */
  async #create<T extends KubeObject & { spec: object }>(resource: Resource<T>, child: T): Promise<T> {
    const { client } = this.#deps;
    try {
      return await client.create(resource, child, { signal: this.#signal });
    } catch (error) {
      // The same object would be refused again.
      if (isInvalid(error)) throw new TerminalError(reasons.invalidSpec, error.message, { cause: error });
      if (!isAlreadyExists(error)) throw error;
      const found = await client.find(resource, keyOf(child), { signal: this.#signal });
      // Gone again between the two requests: the next pass makes it.
      if (!found) throw error;
      if (!isOwnedAlike(found, child)) throw nameTaken(resource, child);
      // Made for what the automation said before: the cache shows it in a moment, and the next plan removes it.
      if (!isSpecifiedAlike(found, child)) throw error;
      return found;
    }
  }

  #delete(resource: Resource<KubeObject>, object: KubeObject): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const options = { uid, resourceVersion, propagationPolicy: "Background" as const, signal: this.#signal };
    return this.#deps.client.delete(resource, keyOf(object), options).then(() => undefined);
  }

  #record({ on, ...facts }: RunEvent, action: RunAction): void {
    const isAboutAutomation = on === "Automation" && action.kind === "writeAutomation";
    const regarding = isAboutAutomation ? referenceTo(Automation, action.automation) : referenceTo(Run, this.#run);
    this.#deps.events.record({ ...facts, regarding });
  }
}

function nameTaken(resource: Resource<KubeObject>, child: KubeObject): TerminalError {
  const name = child.metadata.name ?? "";
  return new TerminalError(reasons.nameTaken, `${resource.kind} ${name} exists and belongs to something else`);
}

/** Whose authority a Run has is decided by its automation alone. */
function sessionChanged({ metadata, spec }: Session, wanted: string): TerminalError {
  const message = `Session ${metadata.name ?? ""} runs as ServiceAccount ${spec.serviceAccountName}, and its Automation says ${wanted}`;
  return new TerminalError(reasons.sessionChanged, message);
}
