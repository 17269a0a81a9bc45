import { attemptName } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { lookAfterMs } from "../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { cutMiddle } from "../../lib/characters.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey, parseKey } from "../../lib/resource.ts";
import { makeController } from "../../kube/make-controller.ts";
import type { ReadyStart } from "../sandbox/facts.ts";
import { warmKey, type WarmPods } from "../sandbox/pool/warm-pods.ts";
import { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import { podKeysOfClass } from "../sandbox/observe/class-pods.ts";
import { hearGateways } from "../sandbox/observe/hear-gateways.ts";
import { Heartbeats } from "../sandbox/observe/heartbeats.ts";
import { SandboxSlots } from "../sandbox/start/slots.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import { decide, type Decision, type SessionRules } from "./decide.ts";
import { decideAbsent } from "./decide/absent.ts";
import { recordDeadlineMs } from "./decide/start.ts";
import { type Findings, SessionActor, type SessionEffectDeps } from "./effects.ts";
import type { SessionFacts } from "./facts.ts";
import { markRetrying } from "./lifecycle.ts";
import { observeSession, podKeyOf, type SessionObserverDeps } from "./observe.ts";
import { observeAbsent } from "./observe/leftovers.ts";
import { follow, watchAll, withSandbox } from "./watches.ts";

interface ReconcilerDeps extends SessionObserverDeps, SessionEffectDeps {
  client: KubeClient;
  clock: Clock;
  /** Shared with the namespace controller, which watches what it keeps. */
  namespaces: TenantNamespaces;
  slots: SandboxSlots;
  warmPods?: WarmPods | undefined;
  rules: SessionRules;
}

type SessionControllerDeps = ControllerDeps &
  Omit<ReconcilerDeps, "slots" | "gateways" | "heartbeats" | "sessionsNamespace" | "start"> & {
    /** Whether gateways are there; by their own Leases where it is left out. */
    gateways?: GatewayPresence;
  };

export interface SessionController extends Pick<Controller, "start" | "stop"> {
  /** Places of classes, and the sessions that wait for them. */
  readonly places: SandboxSlots;
}

/**
 * The controller of sessions. The caller starts the informers, and this when it leads: it begins and ends with a term of
 * leadership, and a new term needs a new one, since its clocks begin anew.
 */
export function sessionController(deps: SessionControllerDeps): SessionController {
  const { clock, informers } = deps;
  const { sessionsNamespace } = deps.rules.start;
  const { gateways = new GatewayPresence(clock) } = deps;
  const slots = new SandboxSlots(
    (className) => podKeysOfClass(informers, className),
    (sessionKey) => controller.enqueue(parseKey(sessionKey)),
  );
  const goesOn = (name: string, key: ObjectKey): boolean => isCurrent(informers.sessions.get(key), name);
  const heartbeats = new Heartbeats({ clock, gateways, ownerKind: Session.kind, goesOn }, (_name, key) => {
    controller.enqueue(key);
  });
  const controller = makeController(deps, { name: "session", concurrency: 8 }, (client) => {
    return new SessionReconciler({
      ...deps,
      client,
      slots,
      gateways,
      heartbeats,
      sessionsNamespace,
      start: deps.rules.start,
    });
  });
  watchAll(controller, { informers, clock, sessionsNamespace });
  const goOn = (): void => withSandbox(informers).forEach((key) => controller.enqueue(key));
  const unhear = hearGateways(informers.gatewayLeases, { gateways, heartbeats, goOn });
  let unfollow: (() => void) | undefined;
  let isStopped = false;
  return {
    async start() {
      await informers.gatewayLeases.synced();
      if (isStopped) return;
      unfollow = follow(informers, { gateways, heartbeats, slots });
      await controller.start();
    },
    places: slots,
    async stop(graceMs) {
      isStopped = true;
      unhear();
      unfollow?.();
      await controller.stop(graceMs);
    },
  };
}

/** Whether the session's sandbox goes on and is the one that beats under this name. */
function isCurrent(session: Session | undefined, leaseName: string): boolean {
  const { sandbox } = session?.status ?? {};
  const isOver = !sandbox || sandbox.endTime !== undefined;
  return !isOver && attemptName(session?.metadata.uid ?? "", sandbox.attempt) === leaseName;
}

/** Observes a session once, decides once, and carries the decision out. */
class SessionReconciler implements Reconciler {
  readonly #deps: ReconcilerDeps;
  /** By session UID: what is not stored yet. It is lost with the process, and then found out again. */
  readonly #findings = new Map<string, Findings>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey): Promise<Outcome> {
    const { clock, informers, rules, slots, warmPods } = this.#deps;
    const session = informers.sessions.get(key);
    if (!session) {
      slots.leave(keyText(key));
      const decision = decideAbsent(await observeAbsent(this.#deps, key), key, clock.now());
      await new SessionActor(this.#deps, undefined, {}).perform(decision.effects);
      return this.#wake(decision.wakeAtMs);
    }
    const findings = this.#takeFindings(session);
    const { sandbox } = session.status ?? {};
    if (sandbox) warmPods?.settled(podKeyOf(session.metadata, sandbox.attempt));
    const facts = await observeSession(this.#deps, session, findings);
    const decision = decide(facts, clock.now(), rules);
    return this.#carryOut(facts, decision, { start: findings.start });
  }

  async #carryOut(facts: SessionFacts, decision: Decision, findings: Findings): Promise<Outcome> {
    const { clock, slots } = this.#deps;
    const { session, due } = facts;
    if (facts.obstacle?.kind !== "full") slots.leave(keyText(keyOf(session)));
    const actor = new SessionActor(this.#deps, session, findings);
    try {
      const performed = await actor.perform(decision.effects);
      if (performed === "found") return this.#wake(clock.now().getTime());
    } finally {
      // A place is taken for a pod before it is created.
      if (due && facts.ready && findings.start?.attempt !== due.attempt)
        this.#settled(facts.ready, podKeyOf(session.metadata, due.attempt));
      this.#keep(session, findings);
    }
    return this.#wake(decision.wakeAtMs, afterStart(findings, facts));
  }

  /** The place counts by what the cache shows again. */
  #settled({ warm }: ReadyStart, podKey: string): void {
    this.#deps.slots.settled(warm ? warmKey(warm) : podKey);
  }

  /** Says on the session that something is being retried. */
  async failed(key: ObjectKey, error: unknown): Promise<void> {
    const { client, clock, informers } = this.#deps;
    const session = informers.sessions.get(key);
    if (!session || session.metadata.deletionTimestamp !== undefined) return;
    const message = error instanceof Error ? error.message : "unknown failure";
    const stamp = { now: clock.now(), generation: session.metadata.generation };
    const status = markRetrying(session.status ?? {}, cutMiddle(message, 512), stamp);
    if (status) await client.patchStatus(Session, session, status);
  }

  /** A pod stays known until the status names it; all else counts for one decision. */
  #takeFindings({ metadata, status }: Session): Findings {
    const uid = metadata.uid ?? "";
    const { start, ...once } = this.#findings.get(uid) ?? {};
    this.#findings.delete(uid);
    return start && start.attempt !== status?.sandbox?.attempt ? { start, ...once } : once;
  }

  #keep({ metadata }: Session, findings: Findings): void {
    const isEmpty = Object.values(findings).every((finding) => finding === undefined);
    if (!isEmpty && metadata.deletionTimestamp === undefined) this.#findings.set(metadata.uid ?? "", findings);
  }

  /** Has the key looked at again at the earliest of these instants, in milliseconds since 1970. */
  #wake(...instants: (number | undefined)[]): Outcome {
    const ahead = instants.filter((atMs) => atMs !== undefined);
    return ahead.length === 0 ? done : requeueAfter(lookAfterMs(Math.min(...ahead), this.#deps.clock.now()));
  }
}

/** When a pod that was just created or found is looked at: at once where it may run already or its ports are to be opened, else to be recorded. */
function afterStart({ start }: Findings, facts: SessionFacts): number | undefined {
  if (!start || start === facts.start) return undefined;
  // No event comes of a pod that a controller before this one created, and that runs.
  const isFound = facts.pods.some(({ uid }) => uid === start.podUID);
  const isAtOnce = isFound || start.pool !== undefined || (start.unopened ?? []).length > 0;
  return isAtOnce ? 0 : recordDeadlineMs(start.createTime);
}
