import { type PoolMember, SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { ownerKeysOf } from "../../domain/attempts/owner-labels.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods } from "../../kube/core-resources.ts";
import { conflict } from "../../kube/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, parseKey } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import type { ObservedPod } from "../sandbox/facts.ts";
import { byOwnerUidIndex, type SandboxInformers } from "../sandbox/informers.ts";
import { attemptOf } from "../sandbox/labels.ts";
import { isSandboxOf } from "../sandbox/observe/own-pods.ts";
import { isAskedAbout, isSilent, waitingByEvents } from "../sandbox/observe/pod-events.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { quietlyWaiting } from "../sandbox/observe/pod-waiting.ts";
import type { SandboxEnvironment } from "../sandbox/pod/pod.ts";
import { poolAsOwner } from "../sandbox/pool/owner.ts";
import { revisionOf, type WarmSource } from "../sandbox/pool/revision.ts";
import { waitingPods } from "../sandbox/pool/waiting.ts";
import { type Refusal, refused } from "../sandbox/refusal.ts";
import { placesForChildren, type SandboxSlots } from "../sandbox/start/slots.ts";
import type { ObservedMember, PoolFacts } from "./facts.ts";
import type { PolicyLooks } from "./policy-looks.ts";

export type PoolInformers = Pick<SandboxInformers, "pods" | "gatewayLeases"> &
  Pick<KindInformers, "sandboxPools" | "sandboxClasses" | "sessions" | "prebuiltImages">;

export interface PoolObserverDeps {
  client: Pick<KubeClient, "find" | "list">;
  clock: Pick<Clock, "now">;
  informers: PoolInformers;
  environment: SandboxEnvironment;
  /** What runtimes trust the gateway by, PEM; empty while there is none. */
  caBundle: () => string;
  /** Addresses of the gateway as runtimes reach it, sorted; rejects while its name is unknown. */
  gatewayAddresses: () => Promise<readonly string[]>;
  hasUserNamespaces: () => boolean;
  /** Places of classes, and whether sessions wait for them. */
  places: Pick<SandboxSlots, "isAwaited" | "podKeys">;
  /** Why none are created for now in the pool of this UID. */
  obstacleOf: (poolUid: string) => Refusal | undefined;
  policies: Pick<PolicyLooks, "namesFor">;
  /** UIDs of pods that were created by this process, or found to be as one that is created now. */
  verified: ReadonlySet<string>;
}

/** Reads all that a decision about a pool rests on: caches, and the API server where a cache lacks a pod. */
export async function observePool(deps: PoolObserverDeps, pool: SandboxPool): Promise<PoolFacts> {
  const { informers } = deps;
  const owner = poolAsOwner(pool);
  const waiting = waitingPods(informers.gatewayLeases.list());
  const seen = await Promise.all(
    (pool.status?.members ?? []).map((member) => observeMember(deps, pool, member, waiting)),
  );
  const members = await withEvents(deps, pool, seen);
  const named = new Set((pool.status?.members ?? []).map(({ podName }) => podName));
  const own = informers.pods.byIndex(byOwnerUidIndex, pool.metadata.uid ?? "");
  const unnamed = own.filter((pod) => isSandboxOf(owner, pod) && !named.has(pod.metadata.name ?? ""));
  const isToGo = unnamed.some(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (isToGo) await ensureNewest(deps.client, pool);
  const { sandboxClassName: name } = pool.spec;
  // Without its class all that waits goes, and the cache may not have that yet.
  const sandboxClass = informers.sandboxClasses.get({ name }) ?? (await deps.client.find(SandboxClass, { name }));
  const obstacle = deps.obstacleOf(pool.metadata.uid ?? "");
  const found = { pool, members, unnamed: unnamed.map(observed), obstacle };
  if (!sandboxClass) {
    const { refusal } = refused(reasons.sandboxClassNotFound, `SandboxClass ${name} does not exist`);
    return { ...found, room: { places: 0, why: "" }, made: { missing: refusal } };
  }
  const source = await sourceOf(deps, pool, sandboxClass);
  const foreignPolicies = await deps.policies.namesFor(pool, source);
  const made = { source, revision: revisionOf(source) };
  return { ...found, room: roomFor(deps, pool, sandboxClass), made, foreignPolicies };
}

/**
 * A pod that the status does not name is deleted, and the cache of pools may be behind that of pods. @throws a conflict where it is:
 * the next pass sees the status that counts
 */
async function ensureNewest(client: Pick<KubeClient, "find">, { metadata }: SandboxPool): Promise<void> {
  const live = await client.find<SandboxPool>(SandboxPool, keyOf({ metadata }));
  if (!live || live.metadata.resourceVersion === metadata.resourceVersion) return;
  const message = `SandboxPool ${keyText(keyOf({ metadata }))} has changed since it was cached`;
  throw conflict(message);
}

/** With what Events say of the first pod that does not start: the others wait for the like. */
async function withEvents(
  { client, clock, informers }: PoolObserverDeps,
  { metadata: { namespace } }: SandboxPool,
  members: readonly ObservedMember[],
): Promise<readonly ObservedMember[]> {
  const silent = members.find(({ pod }) => pod && isSilent(pod));
  const pod = silent?.pod && informers.pods.get({ namespace, name: silent.pod.name });
  if (!silent?.pod || !pod || !isAskedAbout(pod.metadata.creationTimestamp, clock.now())) return members;
  const found = (await waitingByEvents(client, pod)) ?? quietlyWaiting(pod);
  const said: ObservedMember = { ...silent, pod: { ...silent.pod, waiting: found } };
  return members.map((one) => (one === silent ? said : one));
}

async function observeMember(
  { client, informers, verified }: PoolObserverDeps,
  pool: SandboxPool,
  member: PoolMember,
  waiting: ReadonlySet<string>,
): Promise<ObservedMember> {
  const key = { namespace: pool.metadata.namespace, name: member.podName };
  const cached = informers.pods.get(key);
  // A pod that the cache does not show may have been created just now.
  const pod = cached ?? (await client.find(pods, key));
  const isOwn = pod !== undefined && isSandboxOf(poolAsOwner(pool), pod);
  const isSame = member.podUID === undefined || pod?.metadata.uid === member.podUID;
  if (pod && isOwn && isSame) {
    const seen = observed(pod);
    const { uid, isStarted } = seen;
    return {
      member,
      pod: seen,
      isGone: false,
      isVerified: verified.has(uid),
      isWaiting: isStarted && waiting.has(uid),
    };
  }
  const isGone = member.podUID !== undefined || pod !== undefined;
  return { member, isGone, isTaken: isTaken(pool, member, pod), isVerified: false, isWaiting: false };
}

function isTaken(pool: SandboxPool, { podUID }: PoolMember, pod: Pod | undefined): boolean {
  const { uid, labels: own } = pod?.metadata ?? {};
  return uid !== undefined && uid === podUID && own?.[labels.claimedFrom] === pool.metadata.name;
}

function observed(pod: Pod): ObservedPod {
  const { name = "", uid = "", resourceVersion } = pod.metadata;
  return { ...podState(pod), name, uid, resourceVersion, attempt: attemptOf(pod.metadata) };
}

async function sourceOf(deps: PoolObserverDeps, pool: SandboxPool, sandboxClass: SandboxClass): Promise<WarmSource> {
  const gatewayCa = deps.caBundle();
  if (gatewayCa === "") throw new Error("the gateway has no certificate yet");
  return {
    owner: poolAsOwner(pool),
    sandboxClass,
    gatewayCa,
    gatewayAddresses: sandboxClass.spec.egress.dns ? [] : await deps.gatewayAddresses(),
    hasUserNamespaces: deps.hasUserNamespaces(),
    environment: deps.environment,
    volumeSnapshotName: undefined,
    architecture: undefined,
  };
}

/** What the class leaves to this pool, beside the sandboxes that are at work and the members of other pools. */
function roomFor({ informers, places }: PoolObserverDeps, pool: SandboxPool, { metadata, spec }: SandboxClass) {
  const { name = "" } = metadata;
  const { maxWarmSandboxes, maxSandboxes, maxSandboxesPerNamespace = Infinity } = spec;
  // One that was taken stays a member for a moment.
  const isStillOf = (one: SandboxPool, { podName }: PoolMember): boolean => {
    const pod = informers.pods.get({ ...keyOf(one), name: podName });
    return pod === undefined || isSandboxOf(poolAsOwner(one), pod);
  };
  const membersOf = (one: SandboxPool): readonly PoolMember[] =>
    (one.status?.members ?? []).filter((member) => isStillOf(one, member));
  const ofClass = informers.sandboxPools.list().filter((one) => one.spec.sandboxClassName === name);
  const others = ofClass.filter((one) => one.metadata.uid !== pool.metadata.uid);
  const warm = new Set(
    ofClass.flatMap((one) => membersOf(one).map(({ podName }) => keyText({ ...keyOf(one), name: podName }))),
  );
  const atWork = [...places.podKeys(name)].filter((key) => {
    const pod = informers.pods.get(parseKey(key));
    return pod ? ownerKeysOf(SandboxPool.kind, pod).length === 0 : !warm.has(key);
  });
  const inNamespace = (keys: readonly string[]): number =>
    keys.filter((key) => key.startsWith(`${pool.metadata.namespace ?? ""}/`)).length;
  const othersHave = others.flatMap((one) => membersOf(one).map(() => `${one.metadata.namespace ?? ""}/`));
  const bounds = [
    {
      places: maxWarmSandboxes - othersHave.length,
      why: `SandboxClass ${name} lets ${maxWarmSandboxes} sandboxes wait at once (maxWarmSandboxes)`,
    },
    {
      places: maxSandboxes - placesForChildren(maxSandboxes) - atWork.length - othersHave.length,
      why: `SandboxClass ${name} has ${maxSandboxes} sandboxes in all (maxSandboxes)`,
    },
    {
      places: maxSandboxesPerNamespace - inNamespace(atWork) - inNamespace(othersHave),
      why: `SandboxClass ${name} has ${maxSandboxesPerNamespace} sandboxes for a namespace (maxSandboxesPerNamespace)`,
    },
    ...(places.isAwaited(name) ? [{ places: 0, why: `sessions wait for a place of SandboxClass ${name}` }] : []),
  ];
  const least = bounds.reduce((one, other) => (other.places < one.places ? other : one));
  return { places: Math.max(0, least.places), why: least.why };
}
