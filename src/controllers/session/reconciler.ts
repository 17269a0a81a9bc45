import { Session } from "../../api/v1alpha1/session.ts";
import { lookAfterMs } from "../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reconciler } from "../../kube/controller.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { KubeLog } from "../../kube/ports.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyText, type ObjectKey } from "../../lib/resource.ts";
import { type ActiveStep, takeStep } from "./effects.ts";
import type { SessionLimits } from "./decide/status.ts";
import type { SessionFacts, UnrecordedStart } from "./facts.ts";
import type { SessionInformers } from "../sandbox/informers.ts";
import { markRetrying } from "./lifecycle.ts";
import { type Observe } from "./observe.ts";
import { nextStep } from "./decide.ts";
import type { SandboxSlots } from "../sandbox/start/slots.ts";
import type { SandboxStarter } from "../sandbox/effects.ts";
import { announcement } from "./announcement.ts";

export interface SessionReconcilerDeps {
  client: Pick<KubeClient, "find" | "list" | "create" | "patchStatus" | "delete">;
  clock: Clock;
  informers: Pick<SessionInformers, "sessions">;
  observe: Observe;
  /** Deletes what former sessions of this name have left behind. */
  collect: (key: ObjectKey) => Promise<void>;
  /** Fails prompts whose session is not there; returns the milliseconds until they are to be looked at again. */
  failLost: (key: ObjectKey) => Promise<number | undefined>;
  starter: SandboxStarter;
  slots: SandboxSlots;
  events: { record(event: EventFacts): void };
  log: KubeLog;
  limits: SessionLimits;
}

/** More than any session needs in one go: a queue of 50 that is refused, and what belongs to it. */
const mostSteps = 200;

/** Leads one session from step to step until nothing is left but to wait. */
export class SessionReconciler implements Reconciler {
  readonly #deps: SessionReconcilerDeps;
  /** Pods whose recording waits for their container, by session UID; lost with the process and then found by name. */
  readonly #starts = new Map<string, UnrecordedStart>();

  constructor(deps: SessionReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey): Promise<Outcome> {
    const { clock, informers, limits, observe, slots } = this.#deps;
    const session = informers.sessions.get(key);
    await this.#deps.collect(key);
    if (!session) {
      slots.leave(keyText(key));
      const waitMs = await this.#deps.failLost(key);
      return waitMs === undefined ? done : requeueAfter(waitMs);
    }
    let facts = await observe(session, this.#starts.get(session.metadata.uid ?? ""));
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const step = nextStep(facts, clock.now(), limits);
      if (step.kind === "wait") return this.#settle(key, facts, step.atMs);
      facts = await takeStep(this.#deps, step, facts);
      this.#remember(facts);
      this.#announce(facts, step);
    }
    throw new Error(`session ${keyText(key)} did not settle within ${mostSteps} steps`);
  }

  /** Says on the session that something is being retried. */
  async failed(key: ObjectKey, error: unknown): Promise<void> {
    const { client, clock, informers } = this.#deps;
    const session = informers.sessions.get(key);
    if (!session || session.metadata.deletionTimestamp !== undefined) return;
    const message = error instanceof Error ? error.message : "unknown failure";
    const stamp = { now: clock.now(), generation: session.metadata.generation };
    const status = markRetrying(session.status ?? {}, message.slice(0, 512), stamp);
    if (status) await client.patchStatus(Session, session, status);
  }

  /** Sessions that are gone or whose pods are recorded are not remembered. */
  #remember({ session, start }: SessionFacts): void {
    const { uid = "" } = session.metadata;
    if (start) this.#starts.set(uid, start);
    else this.#starts.delete(uid);
  }

  #settle(key: ObjectKey, { obstacle, session }: SessionFacts, atMs: number | undefined): Outcome {
    if (obstacle?.kind !== "full") this.#deps.slots.leave(keyText(key));
    if (session.metadata.deletionTimestamp !== undefined) this.#starts.delete(session.metadata.uid ?? "");
    if (atMs === undefined) return done;
    return requeueAfter(Math.max(1, lookAfterMs(atMs, this.#deps.clock.now())));
  }

  #announce(facts: SessionFacts, step: ActiveStep): void {
    const { session } = facts;
    const { events, log } = this.#deps;
    const { namespace, name } = session.metadata;
    log.debug({ namespace, name, step: step.kind }, "Took a step for a Session");
    const said = announcement(step, facts);
    if (said) events.record({ regarding: referenceTo(Session, session), ...said });
  }
}
