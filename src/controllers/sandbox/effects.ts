import { Buffer } from "node:buffer";
import { bundleDataKey } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { TunnelRoute } from "../../api/v1alpha1/tunnel-route.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods, type Secret, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists, isNotFound, isRefused, KubeError } from "../../kube/errors.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import { cutMiddle } from "../../lib/characters.ts";
import type { Clock } from "../../lib/clock.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import {
  apiVersionOf,
  isSameOwner,
  keyOf,
  keyText,
  type KubeObject,
  type ObjectMeta,
  type Resource,
} from "../../lib/resource.ts";
import type { CreatedAttempt, ObservedPod, StartObstacle } from "./facts.ts";
import { makeTunnelObjects, type TunnelObject } from "./network/tunnel-objects.ts";
import type { AttemptOwner } from "./owner.ts";
import { type PodClaim, takeWarm } from "./pool/take-warm.ts";
import type { WarmPods } from "./pool/warm-pods.ts";
import { podDifference } from "./pod/difference.ts";
import { refusedPod } from "./pod/refused-pod.ts";
import { type VolumeSnapshot, volumeSnapshots } from "./pod/volume-snapshots.ts";
import { refused } from "./refusal.ts";
import type { WantedSet } from "./skills/set-budget.ts";
import type { SkillSetUse } from "./skills/set-use.ts";
import { bundleObstacle, startObstacle } from "./start/obstacle.ts";
import type { TenantNamespaces } from "./tenant/tenant-namespaces.ts";

/** One write for an attempt; the first two compare what a namespace holds and write what differs. */
export type AttemptEffect =
  | { kind: "ensureAccount"; namespace: string; defaultClass: SandboxClass | undefined }
  | { kind: "ensurePolicies"; namespace: string; sandboxClass: SandboxClass }
  | { kind: "storeSkills"; set: WantedSet; secrets: readonly Secret[] }
  | { kind: "createBundle"; secret: Secret }
  | {
      kind: "createPod";
      pod: Pod;
      /** A pod of a pool that is taken in its place. */
      claim?: PodClaim | undefined;
      start: Omit<CreatedAttempt, "podName" | "podUID" | "createTime" | "pool">;
      tunnelRoute: TunnelRoute | undefined;
    }
  | { kind: "createTunnelObject"; of: CreatedAttempt; object: TunnelObject }
  | { kind: "createVolumeSnapshot"; snapshot: VolumeSnapshot }
  | { kind: "deleteVolumeSnapshot"; snapshot: ObjectMeta }
  | { kind: "deletePod"; pod: ObservedPod }
  | { kind: "deleteSecret"; secret: ObjectMeta };

/** What the next decision has to know of the result of an effect; undefined: nothing. */
export type AttemptOutcome =
  /** `replaced` says which pod of that name gave way, and why. */
  | { kind: "created"; start: CreatedAttempt; replaced?: string | undefined }
  | { kind: "obstructed"; obstacle: StartObstacle }
  | { kind: "notSaved"; problem: string };

export interface AttemptEffectDeps {
  client: Pick<KubeClient, "find" | "get" | "create" | "patch" | "delete">;
  clock: Pick<Clock, "now">;
  namespaces: Pick<TenantNamespaces, "ensureAccount" | "ensurePolicies">;
  skillSets: Pick<SkillSetUse, "admit" | "started" | "failed">;
  /** Left out where there are no pools. */
  warmPods?: Pick<WarmPods, "refused"> | undefined;
}

/**
 * Carries out one effect. Rejects when something failed that may pass by itself. An object that a predecessor created is
 * as good as one that is created now.
 */
export async function performAttemptEffect(
  deps: AttemptEffectDeps,
  owner: Pick<AttemptOwner, "metadata">,
  effect: AttemptEffect,
): Promise<AttemptOutcome | undefined> {
  const { client, namespaces } = deps;
  const { namespace } = owner.metadata;
  if (isCreation(effect)) {
    const outcome = await performCreation(deps, owner, effect);
    noteStart(deps, owner.metadata.uid ?? "", outcome);
    return outcome;
  }
  switch (effect.kind) {
    case "ensureAccount":
      await namespaces.ensureAccount(effect.namespace, effect.defaultClass);
      return undefined;
    case "ensurePolicies":
      await namespaces.ensurePolicies(effect.namespace, effect.sandboxClass);
      return undefined;
    case "deleteVolumeSnapshot":
      return remove(client, volumeSnapshots, effect.snapshot);
    case "deletePod":
      return remove(client, pods, { ...effect.pod, namespace });
    case "deleteSecret":
      return remove(client, secrets, effect.secret);
  }
}

type Creation = Extract<AttemptEffect, { kind: "storeSkills" | `create${string}` }>;

function isCreation(effect: AttemptEffect): effect is Creation {
  return effect.kind === "storeSkills" || effect.kind.startsWith("create");
}

/** What a full class obstructs goes on later with the same set. */
function noteStart({ skillSets }: AttemptEffectDeps, ownerUid: string, outcome: AttemptOutcome | undefined): void {
  if (outcome?.kind === "created") skillSets.started(ownerUid);
  if (outcome?.kind === "obstructed" && outcome.obstacle.kind !== "full") skillSets.failed(ownerUid);
}

function performCreation(
  deps: AttemptEffectDeps,
  owner: Pick<AttemptOwner, "metadata">,
  effect: Creation,
): Promise<AttemptOutcome | undefined> {
  switch (effect.kind) {
    case "storeSkills":
      return storeSkills(deps, owner, effect);
    case "createBundle":
      return createBundle(deps, effect.secret);
    case "createPod":
      return createPod(deps, owner, effect);
    case "createTunnelObject":
      return createTunnelObject(deps, effect);
    case "createVolumeSnapshot":
      return createVolumeSnapshot(deps, effect.snapshot);
  }
}

async function storeSkills(
  { client, skillSets }: AttemptEffectDeps,
  { metadata }: Pick<AttemptOwner, "metadata">,
  { set, secrets: pieces }: Extract<AttemptEffect, { kind: "storeSkills" }>,
): Promise<AttemptOutcome | undefined> {
  const problem = skillSets.admit(set, metadata.uid ?? "");
  if (problem !== undefined) {
    const { refusal } = refused(reasons.skillsOverBudget, problem);
    return { kind: "obstructed", obstacle: { kind: "refused", refusal } };
  }
  for (const piece of pieces) await storeSecret(client, piece);
  return undefined;
}

async function remove(
  client: AttemptEffectDeps["client"],
  resource: Resource<KubeObject>,
  { namespace, name = "", uid, resourceVersion }: ObjectMeta,
): Promise<undefined> {
  await client.delete(resource, { namespace, name }, { uid, resourceVersion });
}

async function createBundle({ client }: AttemptEffectDeps, secret: Secret): Promise<AttemptOutcome | undefined> {
  try {
    await storeSecret(client, secret);
    return undefined;
  } catch (error) {
    const bytes = Buffer.byteLength(secret.data?.[bundleDataKey] ?? "", "base64");
    return { kind: "obstructed", obstacle: bundleObstacle(error, bytes) };
  }
}

/**
 * A bundle that an earlier try of this attempt left behind is replaced where what it was made of has changed: no runtime gets
 * it before the attempt's pod is recorded. Stored skills are there already where another session has them, and differ only
 * where a person has changed them.
 */
async function storeSecret(client: AttemptEffectDeps["client"], secret: Secret): Promise<void> {
  try {
    await client.create(secrets, secret);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const stored = await client.get(secrets, keyOf(secret));
    if (jsonEqual(stored.data, secret.data)) return;
    await remove(client, secrets, stored.metadata);
    await client.create(secrets, secret);
  }
}

async function createPod(
  deps: AttemptEffectDeps,
  { metadata }: Pick<AttemptOwner, "metadata">,
  { pod, claim, start, tunnelRoute }: Extract<AttemptEffect, { kind: "createPod" }>,
): Promise<AttemptOutcome> {
  const { client, clock } = deps;
  try {
    const { created, replaced } = claim
      ? { created: await takeWarm(deps, claim, start.attempt) }
      : await createAsMade(client, pod);
    const { name: podName = "", uid: podUID = "" } = created.metadata;
    const ports = start.tunnels.map(({ port }) => port);
    const unopened = tunnelRoute && makeTunnelObjects(created, metadata, ports, tunnelRoute);
    const createTime = clock.now().toISOString();
    const pool = claim?.warm.pool.metadata.name;
    return { kind: "created", start: { ...start, podName, podUID, createTime, pool, unopened }, replaced };
  } catch (error) {
    const obstacle = startObstacle(error, { podName: pod.metadata.name ?? "" }, start.settings);
    const isRejected = obstacle.kind === "rejected";
    return {
      kind: "obstructed",
      obstacle: isRejected ? { ...obstacle, message: refusedPod(obstacle.message, pod) } : obstacle,
    };
  }
}

/**
 * A pod that a predecessor created and could not record is adopted where it is as it would be made now, and replaced
 * otherwise. It goes without grace: until it is recorded no runtime gets a bundle, so it holds nothing.
 */
async function createAsMade(
  client: AttemptEffectDeps["client"],
  pod: Pod,
): Promise<{ created: Pod; replaced?: string }> {
  const created = await createOrAdopt(client, pods, pod, "session");
  const difference = podDifference(pod, created);
  if (difference === undefined) return { created };
  const { uid, resourceVersion } = created.metadata;
  await client.delete(pods, keyOf(created), { uid, resourceVersion, gracePeriodSeconds: 0 });
  const replaced = `pod ${keyText(keyOf(pod))} was there before it was recorded, with another ${difference}: it was replaced`;
  return { created: await client.create(pods, pod), replaced };
}

async function createTunnelObject(
  { client }: AttemptEffectDeps,
  { of, object: { resource, object } }: Extract<AttemptEffect, { kind: "createTunnelObject" }>,
): Promise<AttemptOutcome | undefined> {
  try {
    await createOrAdopt(client, resource, object, "sandbox");
    return undefined;
  } catch (error) {
    return { kind: "obstructed", obstacle: startObstacle(error, of, of.settings) };
  }
}

/** An object that a predecessor created and could not record is adopted; another owner's of that name is left alone. */
async function createOrAdopt<T extends KubeObject>(
  client: AttemptEffectDeps["client"],
  resource: Resource<T>,
  object: T,
  ownerName: "session" | "sandbox",
): Promise<T> {
  try {
    return await client.create(resource, object);
  } catch (error) {
    // The namespace of all but the pod holds the pod that was just created, so it is the kind that is missing.
    if (isNotFound(error) && resource.kind !== pods.kind) {
      const missing = `the cluster has no ${resource.kind} (${apiVersionOf(resource)})`;
      throw rejection("NoKind", `${missing}, which tunnelRoute asks for`);
    }
    // It may be what fills the quota that refuses it now.
    const stored = await nameHolder<T>(client, resource, { object, error });
    if (!stored) throw error;
    const [owner] = object.metadata.ownerReferences ?? [];
    const isOwn = stored.metadata.ownerReferences?.some(
      (one) => owner && isSameOwner(one, owner) && (!owner.controller || one.controller === true),
    );
    if (isOwn) return stored;
    throw rejection("NotOwned", `${resource.kind} ${keyText(keyOf(object))} exists and is not the ${ownerName}'s`);
  }
}

async function createVolumeSnapshot(
  { client }: AttemptEffectDeps,
  snapshot: VolumeSnapshot,
): Promise<AttemptOutcome | undefined> {
  try {
    await client.create(volumeSnapshots, snapshot);
    return undefined;
  } catch (error) {
    if (await nameHolder<VolumeSnapshot>(client, volumeSnapshots, { object: snapshot, error })) return undefined;
    if (isNotFound(error)) {
      const { kind } = volumeSnapshots;
      return { kind: "notSaved", problem: `the cluster has no ${kind} (${apiVersionOf(volumeSnapshots)})` };
    }
    if (isRefused(error)) return { kind: "notSaved", problem: cutMiddle(error.message, 512) };
    throw error;
  }
}

/** An error that tells a person to change something, as if the API server had refused the object. */
function rejection(reason: "NoKind" | "NotOwned", message: string): KubeError {
  return new KubeError({ message, status: 422, reason, delivery: "received" });
}
