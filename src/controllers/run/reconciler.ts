import { reasons, Run } from "../../api/v1alpha1/index.ts";
import { isSettled, isStarted } from "../../domain/runs/run-state.ts";
import { isTransient } from "../../kube/errors.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter, TerminalError } from "../../kube/outcome.ts";
import type { Reconciler } from "../../kube/controller.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import { RunActor, type RunActorDeps } from "./act.ts";
import { nothing, type RunPlan } from "./action.ts";
import { planAfter } from "./after/plan.ts";
import { planFollow, planGiveUp } from "./follow/plan.ts";
import { retryingStatus } from "./lifecycle.ts";
import { RunObserver, type RunObserverDeps } from "./observe.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { RunTraces } from "./run-traces.ts";
import { planStart } from "./start/plan.ts";

export interface RunReconcilerDeps extends RunActorDeps, RunObserverDeps {
  client: RunActorDeps["client"];
  clock: Clock;
  operator: OperatorSettings;
  traces?: Pick<RunTraces, "saw"> | undefined;
}

/**
 * Brings one Run from its creation to its verdict:
 *
 * ```
 *   (no status) ──start──▶ started ──follow──▶ settled ──after──▶ deleted, or kept as history
 *        └──────skip──────────────────────────▶ settled
 * ```
 */
export class RunReconciler implements Reconciler {
  readonly #deps: RunReconcilerDeps;
  readonly #observer: RunObserver;

  constructor(deps: RunReconcilerDeps) {
    this.#deps = deps;
    this.#observer = new RunObserver(deps);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const cached = this.#deps.informers.runs.get(key);
    if (!cached || isGoing(cached)) return done;
    const { run, plan } = await this.#plan(cached, signal);
    const actor = new RunActor(this.#deps, run, signal);
    try {
      await actor.actAll(plan.actions);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      await this.#giveUp(actor, error, signal);
      return done;
    } finally {
      this.#deps.traces?.saw(actor.run);
    }
    return plan.requeueMs === undefined ? done : requeueAfter(plan.requeueMs);
  }

  async failed(key: ObjectKey, error: unknown): Promise<void> {
    // What passes by itself within moments is the log's business.
    if (isTransient(error)) return;
    const run = await this.#deps.client.find(Run, key);
    if (!run || isSettled(run) || isGoing(run)) return;
    const message = error instanceof Error ? error.message : String(error);
    const stored = await this.#deps.client.patchStatus(Run, run, retryingStatus(run, message, this.#deps.clock.now()));
    const facts = { type: "Warning", reason: reasons.progressingWithRetry, note: message } as const;
    this.#deps.events.record({ ...facts, regarding: referenceTo(Run, stored) });
  }

  /** A Run that cannot be carried out has failed, and waits for nobody. */
  async #giveUp(actor: RunActor, { reason, message }: TerminalError, signal: AbortSignal): Promise<void> {
    const facts = await this.#observer.follow(actor.run, signal);
    await actor.actAll(planGiveUp(facts, { succeeded: false, reason, message }, this.#deps.clock.now()).actions);
  }

  async #plan(run: Run, signal: AbortSignal): Promise<{ run: Run; plan: RunPlan }> {
    const { clock, operator } = this.#deps;
    if (isSettled(run)) return { run, plan: planAfter(await this.#observer.after(run, signal), clock.now()) };
    if (isStarted(run)) return { run, plan: planFollow(await this.#observer.follow(run, signal), clock.now()) };
    const facts = await this.#observer.start(keyOf(run), signal);
    if (!facts || isGoing(facts.run)) return { run, plan: nothing };
    // The cache lagged behind; what the live object says is planned for instead.
    if (isStarted(facts.run) || isSettled(facts.run)) return this.#plan(facts.run, signal);
    return { run: facts.run, plan: planStart(facts, clock.now(), operator) };
  }
}

/** Nothing is made or changed for an object that is being deleted. */
function isGoing({ metadata }: Run): boolean {
  return metadata.deletionTimestamp !== undefined;
}
