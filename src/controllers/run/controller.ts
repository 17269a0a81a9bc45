import { reasons, Run, type RunStatus } from "../../api/v1alpha1/index.ts";
import { isSettled, isStarted } from "../../domain/runs/run-state.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import { isTransient } from "../../kube/errors.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter, TerminalError } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyText, type ObjectKey } from "../../lib/resource.ts";
import type { Tracing } from "../../telemetry/tracing.ts";
import type { ArchiveGuard } from "../archive-guard.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../../kube/make-controller.ts";
import type { RunMetrics } from "../metrics/run-metrics.ts";
import { decideGiveUp } from "./decide/follow.ts";
import { decideRun } from "./decide.ts";
import { RunEffects, type RunEffectsDeps } from "./effects.ts";
import { pendingStatus, retryingStatus } from "./lifecycle.ts";
import { isBeingDeleted, RunObserver, type RunObserverDeps } from "./observe.ts";
import { automationKey } from "./ownership.ts";
import { pendingLimitOf } from "./pending-limit.ts";
import { RunTraces } from "./run-traces.ts";
import { watchAll } from "./watches.ts";

export interface RunControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: KindInformers;
  /** Absent where the release has no archive. */
  archive?: Pick<ArchiveGuard, "hasAll"> | undefined;
  events: Pick<EventRecorder, "record">;
  operator: OperatorSettings;
  runMetrics?: RunMetrics | undefined;
  tracing?: Tracing | undefined;
}

/**
 * The controller of Runs. A queue item is one Run, and Runs of one Automation are worked on one after the other, so that
 * two of them are never judged at once. The caller starts informers and controller.
 */
export function runController(deps: RunControllerDeps): Controller {
  const { informers } = deps;
  const groupOf = (key: ObjectKey): string => {
    const run = informers.runs.get(key);
    return run ? `automation ${keyText(automationKey(run))}` : `run ${keyText(key)}`;
  };
  const controller = makeController(deps, { name: "run", groupOf, concurrency: 8 }, (client) => {
    const { clock, tracing } = deps;
    return new RunReconciler({ ...deps, client, traces: tracing && new RunTraces({ client, clock, tracing }) });
  });
  watchAll(controller, informers);
  return controller;
}

interface RunReconcilerDeps extends RunEffectsDeps, RunObserverDeps {
  client: RunEffectsDeps["client"];
  clock: Clock;
  operator: OperatorSettings;
  traces?: Pick<RunTraces, "saw"> | undefined;
}

class RunReconciler implements Reconciler {
  readonly #deps: RunReconcilerDeps;
  readonly #observer: RunObserver;

  constructor(deps: RunReconcilerDeps) {
    this.#deps = deps;
    this.#observer = new RunObserver(deps);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { clock, operator, traces } = this.#deps;
    // What has passed by now is read from the API server, so nothing else counts as passed.
    const [now, startMs] = [clock.now(), clock.monotonicMs()];
    const facts = await this.#observer.observe(key, now, signal);
    if (!facts) return done;
    const { effects, requeueMs } = decideRun(facts, now, operator);
    const performer = new RunEffects(this.#deps, facts.run, signal);
    try {
      await performer.performAll(effects);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      await this.#giveUp(performer, error, signal);
      return done;
    } finally {
      traces?.saw(performer.run);
    }
    // A deadline does not wait for how long this pass took.
    const passedMs = clock.monotonicMs() - startMs;
    return requeueMs === undefined ? done : requeueAfter(Math.max(0, requeueMs - passedMs));
  }

  async failed(key: ObjectKey, error: unknown): Promise<void> {
    // A failure that passes by itself within moments is only logged.
    if (isTransient(error)) return;
    const run = await this.#deps.client.find(Run, key);
    if (!run || isSettled(run) || isBeingDeleted(run)) return;
    const message = error instanceof Error ? error.message : String(error);
    const stored = await this.#deps.client.patchStatus(Run, run, this.#afterFailure(run, message));
    const facts = { type: "Warning", reason: reasons.progressingWithRetry, note: message } as const;
    this.#deps.events.record({ ...facts, regarding: referenceTo(Run, stored) });
  }

  #afterFailure(run: Run, message: string): RunStatus {
    const { clock, informers } = this.#deps;
    if (isStarted(run)) return retryingStatus(run, message, clock.now());
    const automation = informers.automations.get(automationKey(run));
    return pendingStatus(run, message, automation && pendingLimitOf(informers, automation.spec.session), clock.now());
  }

  /** An effect can never succeed, so the Run fails at once; what became of its sessions is observed first. */
  async #giveUp(performer: RunEffects, { reason, message }: TerminalError, signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    const facts = await this.#observer.follow(performer.run, now, signal);
    const verdict = { succeeded: false, reason, message };
    await performer.performAll(decideGiveUp(facts, verdict, now).effects);
  }
}
