import type { SandboxPool } from "../../../api/v1alpha1/sandbox-pool.ts";
import type { Lease, Pod } from "../../../kube/core-resources.ts";
import { isSameOwner, keyText, ownerReferenceTo, type ObjectKey } from "../../../lib/resource.ts";
import { podState } from "../observe/pod-state.ts";
import type { AttemptOwner } from "../owner.ts";
import { poolAsOwner } from "./owner.ts";
import { waitingPods } from "./waiting.ts";

/** A pod that waits, and the pool that it is taken from. */
export interface WarmPod {
  pod: Pod;
  pool: SandboxPool;
  /** It is the attempt's already: the answer to the write that took it was lost. */
  isTaken: boolean;
}

/** The attempt that a pod is wanted for. */
export interface WarmWanted {
  owner: Pick<AttemptOwner, "resource" | "metadata">;
  /** `namespace/name` of the attempt's own pod, were it created. */
  podKey: string;
  className: string;
  serviceAccountName: string;
  revision: string;
}

/** A pod that a pool's status names. */
interface Member {
  pool: SandboxPool;
  pod: Pod;
  revision: string;
}

interface Deps {
  pools: (namespace: string) => readonly SandboxPool[];
  pod: (key: ObjectKey) => Pod | undefined;
  gatewayLeases: () => readonly Lease[];
}

/**
 * Chooses pods of pools for attempts. Labels can be forged, so only a pod that the pool's status names counts. A pod is
 * promised to one attempt and an attempt to one pod, until the attempt is recorded: a write whose answer was lost is
 * tried again with the same pod. The promises are lost with the process; the pod's resourceVersion is what decides.
 */
export class WarmPods {
  readonly #deps: Deps;
  /** By the key of the attempt's pod. */
  readonly #promised = new Map<string, string>();
  /** UIDs of pods that the API server refused to hand over. */
  readonly #refused = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A pod for the attempt; undefined: it needs one of its own. */
  choose(wanted: WarmWanted): WarmPod | undefined {
    const promised = this.#promised.get(wanted.podKey);
    const others = new Set([...this.#promised].flatMap(([key, uid]) => (key === wanted.podKey ? [] : [uid])));
    const waiting = waitingPods(this.#deps.gatewayLeases());
    const isFree = ({ pool, pod, revision }: Member): boolean => {
      const { uid = "" } = pod.metadata;
      const isOpen = waiting.has(uid) && !others.has(uid) && !this.#refused.has(uid);
      return isOpen && revision === wanted.revision && owns(poolAsOwner(pool), pod);
    };
    const isTaken = ({ pod }: Member): boolean => pod.metadata.uid === promised && owns(wanted.owner, pod);
    const members = this.#members(wanted).filter(({ pod }) => isUsable(pod));
    const found = members.find(isTaken) ?? members.find(isFree);
    if (!found) {
      this.#promised.delete(wanted.podKey);
      return undefined;
    }
    this.#promised.set(wanted.podKey, found.pod.metadata.uid ?? "");
    return { pod: found.pod, pool: found.pool, isTaken: isTaken(found) };
  }

  /** Whether a pool has pods for such attempts, whether one waits now or not. */
  serves(wanted: Omit<WarmWanted, "podKey" | "revision">): boolean {
    return this.#poolsFor(wanted).some(({ spec }) => spec.replicas > 0);
  }

  /** The attempt is recorded, or is over. */
  settled(podKey: string): void {
    this.#promised.delete(podKey);
  }

  /** The API server does not let the pod be handed over. */
  refused(podUid: string): void {
    this.#refused.add(podUid);
  }

  #poolsFor({ owner, className, serviceAccountName }: Omit<WarmWanted, "podKey" | "revision">): SandboxPool[] {
    return this.#deps
      .pools(owner.metadata.namespace ?? "")
      .filter(({ spec }) => spec.sandboxClassName === className && spec.serviceAccountName === serviceAccountName);
  }

  #members(wanted: WarmWanted): Member[] {
    const { namespace = "" } = wanted.owner.metadata;
    return this.#poolsFor(wanted).flatMap((pool) =>
      (pool.status?.members ?? []).flatMap(({ podName, podUID, revision }) => {
        const pod = podUID === undefined ? undefined : this.#deps.pod({ namespace, name: podName });
        return pod && pod.metadata.uid === podUID ? [{ pool, pod, revision }] : [];
      }),
    );
  }
}

function isUsable(pod: Pod): boolean {
  const { isStarted, isTerminating, ended, disruption } = podState(pod);
  return isStarted && !isTerminating && !ended && disruption === undefined;
}

function owns({ resource, metadata }: Pick<AttemptOwner, "resource" | "metadata">, pod: Pod): boolean {
  const reference = ownerReferenceTo(resource, { metadata });
  return pod.metadata.ownerReferences?.some((one) => isSameOwner(one, reference)) ?? false;
}

/** `namespace/name` of a warm pod. */
export function warmKey({ pod: { metadata } }: WarmPod): string {
  return keyText({ namespace: metadata.namespace, name: metadata.name ?? "" });
}
