import { Automation, labels, reasons, Run, Session, type AutomationStatus } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reconciler } from "../../kube/controller.ts";
import { secrets } from "../../kube/core-resources.ts";
import { isNotFound, isTransient } from "../../kube/errors.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import { indexNames, type KindInformers } from "../kind-informers.ts";
import { retryingStatus } from "./lifecycle.ts";
import { KeyReader } from "./key-reader.ts";
import { ScopeReader } from "./scope-reader.ts";
import { type AutomationAction, type AutomationPlan, planAutomation } from "./plan.ts";
import { fireSlot } from "./slots/fire.ts";
import { planSchedule } from "./slots/plan.ts";
import { transitions } from "./transitions.ts";

export interface AutomationReconcilerDeps {
  client: Pick<KubeClient, "find" | "create" | "patch" | "patchStatus" | "delete">;
  clock: Clock;
  informers: Pick<KindInformers, "automations" | "runs" | "sessions" | "repositories" | "environments">;
  events: Pick<EventRecorder, "record">;
  keysNamespace: string;
}

/** Activity is gathered for this long before it is written: at most one write a second, however many Runs there are. */
const gatheringMs = 1_000;

/** Keeps an automation's status, its key hash and its history. */
export class AutomationReconciler implements Reconciler {
  readonly #deps: AutomationReconcilerDeps;
  /** Monotonic instants at which gathered activity is written. */
  readonly #gathering = new Map<string, number>();

  readonly #keys: KeyReader;
  readonly #scopes: ScopeReader;

  constructor(deps: AutomationReconcilerDeps) {
    this.#deps = deps;
    this.#keys = new KeyReader(deps);
    this.#scopes = new ScopeReader(deps);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const automation = await this.#observe(key, signal);
    // Its Runs are the Run controller's, its key hash the collector's.
    if (!automation || automation.metadata.deletionTimestamp !== undefined) {
      this.#gathering.delete(keyText(key));
      this.#keys.forget(keyText(key));
      this.#scopes.forget(keyText(key));
      return done;
    }
    const runs = this.#deps.informers.runs.byIndex(indexNames.automationUid, automation.metadata.uid ?? "");
    const secretsRefusal = this.#scopes.known(automation);
    const facts = { automation, runs, ...(await this.#keys.read(automation, signal)), secretsRefusal };
    const plannedMs = this.#deps.clock.monotonicMs();
    const plan = await this.#fire(
      planAutomation(facts, this.#deps.clock.now(), this.#deps.keysNamespace),
      automation,
      signal,
    );
    await this.#actAll(plan.actions, signal).finally(() => {
      // What was read is of no use after a write, or after one that met something newer.
      if (plan.actions.some(isAboutKeys)) this.#keys.forget(keyText(key));
    });
    const gatheredMs = await this.#report(automation, plan, signal);
    await this.#actAll(plan.pruned, signal);
    // The next slot does not wait for how long this pass took.
    const passedMs = this.#deps.clock.monotonicMs() - plannedMs;
    const requeueMs = plan.requeueMs && Math.max(0, plan.requeueMs - passedMs);
    const keysMs = this.#keys.keep(keyText(key), plan.rereadMs);
    // Last, as it is a warning: it must not hold up a slot, nor let what was decided on grow old.
    const scopesMs = await this.#scopes.read(automation, signal);
    const delays = [requeueMs, keysMs, gatheredMs, scopesMs];
    const known = delays.filter((delay) => delay !== undefined);
    return known.length > 0 ? requeueAfter(Math.min(...known)) : done;
  }

  async failed(key: ObjectKey, error: unknown): Promise<void> {
    const automation = this.#deps.informers.automations.get(key);
    // What passes by itself within moments is the log's business.
    if (!automation || automation.metadata.deletionTimestamp !== undefined || isTransient(error)) return;
    const note = error instanceof Error ? error.message : String(error);
    const status = retryingStatus(automation, note, this.#deps.clock.now());
    const stored = await this.#deps.client.patchStatus(Automation, automation, status);
    const facts = { type: "Warning", reason: reasons.progressingWithRetry, note } as const;
    this.#deps.events.record({ ...facts, regarding: referenceTo(Automation, stored) });
  }

  /** Caches may lag behind; that a slot is due, which cannot be taken back, is decided on a live read. */
  async #observe(key: ObjectKey, signal: AbortSignal): Promise<Automation | undefined> {
    const { client, clock, informers } = this.#deps;
    const cached = informers.automations.get(key);
    const isDue = cached !== undefined && planSchedule(cached, clock.now()).firing !== undefined;
    return isDue ? client.find(Automation, key, { signal }) : cached;
  }

  /** Fires the slot that is due; returns the plan as it is thereafter. */
  async #fire(plan: AutomationPlan, automation: Automation, signal: AbortSignal): Promise<AutomationPlan> {
    if (!plan.firing) return plan;
    const outcome = await fireSlot(this.#deps, automation, plan.firing, signal);
    if (outcome === "fired") return plan;
    return { ...plan, status: { ...plan.status, ...plan.firing.timesWhenRepeated }, requeueMs: 0 };
  }

  async #actAll(actions: readonly AutomationAction[], signal: AbortSignal): Promise<void> {
    for (const action of actions) await this.#act(action, signal);
  }

  async #act(action: AutomationAction, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    switch (action.kind) {
      case "createKey":
        await client.create(secrets, action.secret, { signal });
        return;
      case "replaceKey": {
        const { resourceVersion } = action.existing.metadata;
        const { annotations } = action.secret.metadata;
        const patch = { metadata: { resourceVersion, annotations }, data: action.secret.data };
        await client.patch(secrets, keyOf(action.existing), patch, { signal });
        return;
      }
      case "deleteKey": {
        // A key that was issued since it was read stays.
        const { uid, resourceVersion } = action.existing.metadata;
        await client.delete(secrets, keyOf(action.existing), { uid, resourceVersion, signal });
        return;
      }
      case "deleteRun":
        return this.#deleteRun(action.run, signal);
      case "emptyRun":
        return this.#emptyRun(action.run, signal);
    }
  }

  async #deleteRun(run: Run, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = run.metadata;
    await this.#deps.client.delete(Run, keyOf(run), { uid, resourceVersion, signal });
  }

  /** What is left of it remembers the idempotency key by its name; the key's text may be as long as the payload. */
  async #emptyRun(run: Run, signal: AbortSignal): Promise<void> {
    const { client, informers } = this.#deps;
    for (const session of informers.sessions.byIndex(indexNames.runUid, run.metadata.uid ?? "")) {
      await client.delete(Session, keyOf(session), { uid: session.metadata.uid, signal });
    }
    const { resourceVersion } = run.metadata;
    const patch = { metadata: { resourceVersion }, spec: { trigger: { payload: null, idempotencyKey: null } } };
    try {
      await client.patch(Run, keyOf(run), patch, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Writes the status; returns the milliseconds until gathered activity is to be written. */
  async #report(
    automation: Automation,
    { status, activity, idempotencyHorizon }: AutomationPlan,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const key = keyText(keyOf(automation));
    const full = { ...status, ...activity, lastRun: activity.lastRun };
    const isNews = !jsonEqual(full, automation.status ?? {});
    const isActivityOnly = isNews && jsonEqual(status, automation.status ?? {});
    const waitMs = isActivityOnly ? this.#waitMs(key) : 0;
    if (waitMs > 0) return waitMs;
    this.#gathering.delete(key);
    if (isNews) await this.#write(automation, { ...full, idempotencyHorizon }, signal);
    return undefined;
  }

  #waitMs(key: string): number {
    const nowMs = this.#deps.clock.monotonicMs();
    const dueMs = this.#gathering.get(key) ?? nowMs + gatheringMs;
    this.#gathering.set(key, dueMs);
    return Math.max(0, dueMs - nowMs);
  }

  async #write(automation: Automation, status: AutomationStatus, signal: AbortSignal): Promise<void> {
    const stored = await this.#deps.client.patchStatus(Automation, automation, status, { signal });
    if (stored === automation) return;
    const regarding = referenceTo(Automation, stored);
    for (const news of transitions(automation.status, status)) this.#deps.events.record({ ...news, regarding });
  }
}

function isAboutKeys({ kind }: AutomationAction): boolean {
  return kind === "createKey" || kind === "replaceKey" || kind === "deleteKey";
}

/** The automation that a Run names, whether or not it is there. */
export function automationOf({ metadata, spec }: Run): ObjectKey[] {
  return metadata.labels?.[labels.automationUid] === undefined
    ? []
    : [{ namespace: metadata.namespace, name: spec.automationRef.name }];
}
