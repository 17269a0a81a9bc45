import { labels, sandboxAccountName } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { ownerKeysOf } from "../../domain/attempts/owner-labels.ts";
import type { Change } from "../../kube/cache.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import { type Lease, type Pod, pods } from "../../kube/core-resources.ts";
import { isRefused } from "../../kube/errors.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import { makeController } from "../../kube/make-controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { isSameOwner, keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import { isSpecChange } from "../predicates.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import { endSaid } from "../sandbox/decide.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { podDifference } from "../sandbox/pod/difference.ts";
import { refusedPod } from "../sandbox/pod/refused-pod.ts";
import type { Refusal } from "../sandbox/refusal.ts";
import { checkClass } from "../sandbox/start/rights.ts";
import { makeWarmPod } from "../sandbox/pool/revision.ts";
import { waitingAt } from "../sandbox/pool/waiting.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import { decide, type PoolEffect } from "./decide.ts";
import type { PoolFacts, PoolSource } from "./facts.ts";
import { NewlyWaiting } from "./newly-waiting.ts";
import { observePool, type PoolObserverDeps } from "./observe.ts";
import { PolicyLooks } from "./policy-looks.ts";
import { RecentClaims } from "./recent-claims.ts";

/** How often class, certificate authority and places are looked at without an event, in milliseconds. */
const lookMs = 5_000;

/** How long none are created after one was refused or has ended, in milliseconds. */
const againMs = 30_000;

interface ReconcilerDeps extends PoolObserverDeps {
  client: KubeClient;
  clock: Pick<Clock, "now" | "monotonicMs">;
  namespaces: TenantNamespaces;
}

export type PoolControllerDeps = ControllerDeps &
  Omit<ReconcilerDeps, "verified" | "obstacleOf" | "policies"> & { clock: Clock };

/** The controller of pools. One at a time, since pools of a class share its places. */
export function poolController(deps: PoolControllerDeps): Pick<Controller, "start" | "stop"> {
  const { informers } = deps;
  const controller = makeController(deps, { name: "pool", concurrency: 1 }, (client) => {
    return new PoolReconciler({ ...deps, client });
  });
  const { sandboxPools, sandboxClasses } = informers;
  controller.watch(sandboxPools, { keysOf: (pool) => [keyOf(pool)], when: isSpecChange });
  controller.watch(sandboxClasses, {
    keysOf: ({ metadata }) =>
      sandboxPools
        .list()
        .filter(({ spec }) => spec.sandboxClassName === metadata.name)
        .map(keyOf),
    when: isSpecChange,
  });
  controller.watch(informers.pods, {
    keysOf: (pod) => [...ownerKeysOf(SandboxPool.kind, pod), ...poolOfTaken(pod)],
    when: ({ object, old }: Change<Pod>) =>
      !old || poolOfTaken(object).length > poolOfTaken(old).length || !jsonEqual(podState(object), podState(old)),
  });
  controller.watch(informers.gatewayLeases, {
    keysOf: () => sandboxPools.list().map(keyOf),
    when: ({ object, old }: Change<Lease>) => !jsonEqual(waitingAt(object), old ? waitingAt(old) : []),
  });
  controller.watch(informers.sessions, { keysOf: () => [] });
  return controller;
}

/** The pool that a session took the pod from. */
function poolOfTaken({ metadata: { namespace, labels: own } }: Pod): ObjectKey[] {
  const name = own?.[labels.claimedFrom];
  return name === undefined ? [] : [{ namespace, name }];
}

function isOwnedAs(pod: Pod, { metadata }: Pod): boolean {
  const [owner] = pod.metadata.ownerReferences ?? [];
  return metadata.ownerReferences?.some((one) => owner && isSameOwner(one, owner)) ?? false;
}

/** Observes a pool once, decides once, and carries the decision out. */
class PoolReconciler implements Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #verified = new Set<string>();
  /** By the pool's UID. */
  readonly #obstacles = new Map<string, { refusal: Refusal; untilMs: number }>();
  readonly #claims: RecentClaims;
  readonly #waiting: NewlyWaiting;
  readonly #policies: PolicyLooks;

  constructor(deps: Omit<ReconcilerDeps, "verified" | "obstacleOf" | "policies">) {
    this.#claims = new RecentClaims(deps.clock);
    this.#waiting = new NewlyWaiting(deps.clock);
    this.#policies = new PolicyLooks(deps);
    const obstacleOf = (uid: string): Refusal | undefined => this.#obstacleOf(uid);
    this.#deps = { ...deps, verified: this.#verified, policies: this.#policies, obstacleOf };
  }

  async reconcile(key: ObjectKey): Promise<Outcome> {
    const { informers, clock } = this.#deps;
    const pool = informers.sandboxPools.get(key);
    if (!pool || pool.metadata.deletionTimestamp !== undefined) {
      this.#claims.forget(keyText(key));
      this.#waiting.forget(keyText(key));
      this.#policies.forget(keyText(key));
      return done;
    }
    const { facts, nextLookMs } = await this.#observe(pool);
    const effects = decide(facts, clock.now());
    const creates = effects.some(({ kind }) => kind === "createPod");
    const obstacle = facts.obstacle ?? endOfMember(facts) ?? (creates ? await this.#prepare(facts) : undefined);
    if (obstacle && !facts.obstacle) {
      this.#obstruct(pool, obstacle);
      return requeueAfter(0);
    }
    for (const effect of effects) await this.#perform(facts, effect);
    return requeueAfter(creates ? 0 : nextLookMs);
  }

  async #observe(pool: SandboxPool): Promise<{ facts: PoolFacts; nextLookMs: number }> {
    const facts = await observePool(this.#deps, pool);
    const key = keyText(keyOf(pool));
    const filledInMs = this.#claims.dueInMs(key, facts);
    const shownInMs = this.#waiting.dueInMs(key, facts);
    const dues = [filledInMs, shownInMs].filter((dueInMs) => dueInMs > 0);
    const isBusy = filledInMs > 0;
    const isGathering = shownInMs > 0;
    return { facts: { ...facts, isBusy, isGathering }, nextLookMs: Math.min(lookMs, ...dues) };
  }

  /** Makes what the pods need in their namespace; gives why the pool's account may have none. */
  async #prepare({ pool, made }: PoolFacts): Promise<Refusal | undefined> {
    if ("missing" in made) return made.missing;
    const { informers, namespaces } = this.#deps;
    const { sandboxClass } = made.source;
    const { namespace = "" } = pool.metadata;
    const { serviceAccountName: name } = pool.spec;
    if (name === sandboxAccountName) {
      await namespaces.ensureAccount(namespace, defaultClassOf(informers.sandboxClasses.list()));
    }
    const allowed = await checkClass(this.#deps, { namespace, name }, sandboxClass.metadata.name ?? "");
    if (!allowed.ok) return allowed.refusal;
    await namespaces.ensurePolicies(namespace, sandboxClass);
    return undefined;
  }

  async #perform({ pool, made }: PoolFacts, effect: PoolEffect): Promise<void> {
    const { client } = this.#deps;
    const { namespace } = pool.metadata;
    if (effect.kind === "writeStatus") {
      await client.patchStatus(SandboxPool, pool, effect.status);
    } else if (effect.kind === "deletePod") {
      const { name, uid, resourceVersion } = effect.pod;
      // A claim of this moment has changed the version.
      await client.delete(pods, { namespace, name }, { uid, resourceVersion });
    } else if (!("missing" in made) && !this.#obstacleOf(pool.metadata.uid ?? "")) {
      await this.#create(pool, effect.number, made);
    }
  }

  async #create(pool: SandboxPool, number: number, { source }: PoolSource): Promise<void> {
    const { client } = this.#deps;
    const pod = makeWarmPod(pool, number, source);
    try {
      const { metadata } = await client.create(pods, pod);
      this.#verified.add(metadata.uid ?? "");
    } catch (error) {
      const stored = await nameHolder<Pod>(client, pods, { object: pod, error });
      if (stored) await this.#adopt(pod, stored);
      else if (isRefused(error)) {
        this.#obstruct(pool, { reason: reasons.podRejected, message: refusedPod(error.message, pod) });
      } else throw error;
    }
  }

  /** A pod that a predecessor created is taken where it is as it would be made now, and deleted otherwise. */
  async #adopt(pod: Pod, stored: Pod): Promise<void> {
    const { uid = "", resourceVersion } = stored.metadata;
    if (podDifference(pod, stored) === undefined) this.#verified.add(uid);
    else if (isOwnedAs(pod, stored)) await this.#deps.client.delete(pods, keyOf(pod), { uid, resourceVersion });
  }

  #obstruct({ metadata: { uid = "" } }: SandboxPool, refusal: Refusal): void {
    this.#obstacles.set(uid, { refusal, untilMs: this.#deps.clock.monotonicMs() + againMs });
  }

  #obstacleOf(poolUid: string): Refusal | undefined {
    const found = this.#obstacles.get(poolUid);
    if (!found || found.untilMs > this.#deps.clock.monotonicMs()) return found?.refusal;
    this.#obstacles.delete(poolUid);
    return undefined;
  }
}

/** Why sandboxes do not last until they are taken: the next would end as well. One that is being deleted ends for that. */
function endOfMember({ members }: PoolFacts): Refusal | undefined {
  const [ended] = members.flatMap(({ pod }) => (pod?.ended && !pod.isTerminating ? [pod] : []));
  if (!ended?.ended) return undefined;
  return {
    reason: ended.ended.reason,
    message: `pod ${ended.name} ended before a session took it: ${endSaid(ended.ended, false).message}`,
  };
}
