import { Buffer } from "node:buffer";
import { bundleDataKey } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { TunnelRoute } from "../../api/v1alpha1/tunnel-route.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods, type Secret, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists, isForbidden, isInvalid, isNotFound, KubeError } from "../../kube/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { apiVersionOf, keyOf, keyText, type ObjectMeta } from "../../lib/resource.ts";
import type { CreatedAttempt, FoundSettings, ObservedPod, StartObstacle } from "./facts.ts";
import { makeTunnelObjects, type TunnelObject } from "./network/tunnel-objects.ts";
import type { AttemptOwner } from "./owner.ts";
import { type VolumeSnapshot, volumeSnapshots } from "./pod/volume-snapshots.ts";
import { refused } from "./refusal.ts";
import type { TenantNamespaces } from "./tenant/tenant-namespaces.ts";

/** One write for an attempt; the first two compare what a namespace holds and write what differs. */
export type AttemptEffect =
  | { kind: "ensureAccount"; namespace: string; defaultClass: SandboxClass | undefined }
  | { kind: "ensurePolicies"; namespace: string; sandboxClass: SandboxClass }
  | { kind: "createBundle"; secret: Secret }
  | {
      kind: "createPod";
      pod: Pod;
      start: Omit<CreatedAttempt, "podName" | "podUID" | "createTime">;
      tunnelRoute: TunnelRoute | undefined;
    }
  | { kind: "createTunnelObject"; of: CreatedAttempt; object: TunnelObject }
  | { kind: "createVolumeSnapshot"; snapshot: VolumeSnapshot }
  | { kind: "deleteVolumeSnapshot"; snapshot: ObjectMeta }
  | { kind: "deletePod"; pod: ObservedPod }
  | { kind: "deleteSecret"; secret: ObjectMeta };

/** What an effect found out that the next decision needs; undefined: it did as it says. */
export type AttemptOutcome =
  | { kind: "created"; start: CreatedAttempt }
  | { kind: "obstructed"; obstacle: StartObstacle }
  | { kind: "notSaved"; problem: string };

export interface AttemptEffectDeps {
  client: Pick<KubeClient, "get" | "create" | "delete">;
  clock: Pick<Clock, "now">;
  namespaces: Pick<TenantNamespaces, "ensureAccount" | "ensurePolicies">;
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
  switch (effect.kind) {
    case "ensureAccount":
      await namespaces.ensureAccount(effect.namespace, effect.defaultClass);
      return undefined;
    case "ensurePolicies":
      await namespaces.ensurePolicies(effect.namespace, effect.sandboxClass);
      return undefined;
    case "createBundle":
      return createBundle(deps, effect.secret);
    case "createPod":
      return createPod(deps, owner, effect);
    case "createTunnelObject":
      return createTunnelObject(deps, effect);
    case "createVolumeSnapshot":
      return createVolumeSnapshot(deps, effect.snapshot);
    case "deleteVolumeSnapshot":
      await client.delete(volumeSnapshots, keyOf({ metadata: effect.snapshot }), preconditionsOf(effect.snapshot));
      return undefined;
    case "deletePod":
      await client.delete(pods, { namespace, name: effect.pod.name }, preconditionsOf(effect.pod));
      return undefined;
    case "deleteSecret":
      await client.delete(secrets, keyOf({ metadata: effect.secret }), preconditionsOf(effect.secret));
      return undefined;
  }
}

function preconditionsOf({ uid, resourceVersion }: Pick<ObjectMeta, "uid" | "resourceVersion">): {
  uid: string | undefined;
  resourceVersion: string | undefined;
} {
  return { uid, resourceVersion };
}

async function createBundle({ client }: AttemptEffectDeps, secret: Secret): Promise<AttemptOutcome | undefined> {
  try {
    await client.create(secrets, secret);
    return undefined;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    if (!isInvalid(error) && !isTooLarge(error)) throw error;
    const bytes = Buffer.byteLength(secret.data?.[bundleDataKey] ?? "", "base64");
    const message = `the session's bundle of ${bytes} bytes does not fit a Secret`;
    const { refusal } = refused(reasons.bundleTooLarge, message);
    return { kind: "obstructed", obstacle: { kind: "refused", refusal } };
  }
}

async function createPod(
  { client, clock }: AttemptEffectDeps,
  { metadata: { name = "", uid = "" } }: Pick<AttemptOwner, "metadata">,
  { pod, start, tunnelRoute }: Extract<AttemptEffect, { kind: "createPod" }>,
): Promise<AttemptOutcome> {
  try {
    const created = await createOrAdopt(client, pod);
    const { name: podName = "", uid: podUID = "" } = created.metadata;
    const unopened = tunnelRoute && makeTunnelObjects(created, { name, uid }, portsOf(start), tunnelRoute);
    const createTime = clock.now().toISOString();
    return { kind: "created", start: { ...start, podName, podUID, createTime, unopened } };
  } catch (error) {
    return { kind: "obstructed", obstacle: obstacleOf(error, { podName: pod.metadata.name ?? "" }, start.settings) };
  }
}

function portsOf({ tunnels }: Pick<CreatedAttempt, "tunnels">): number[] {
  return tunnels.map(({ port }) => port);
}

/** A pod that a predecessor created and could not record is adopted; a stranger's pod of that name is left alone. */
async function createOrAdopt(client: AttemptEffectDeps["client"], pod: Pod): Promise<Pod> {
  try {
    return await client.create(pods, pod);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const stored = await client.get(pods, keyOf(pod));
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    if (stored.metadata.ownerReferences?.some(({ uid, controller }) => uid === owner && controller)) return stored;
    throw notOwned(`Pod ${keyText(keyOf(pod))} exists and is not the session's`);
  }
}

async function createTunnelObject(
  deps: AttemptEffectDeps,
  { of, object }: Extract<AttemptEffect, { kind: "createTunnelObject" }>,
): Promise<AttemptOutcome | undefined> {
  try {
    await createOwned(deps, object);
    return undefined;
  } catch (error) {
    return { kind: "obstructed", obstacle: obstacleOf(error, of, of.settings) };
  }
}

async function createOwned({ client }: AttemptEffectDeps, { resource, object }: TunnelObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    // Its namespace holds the pod that was just created, so it is the kind that is missing.
    if (isNotFound(error)) {
      const message = `the cluster has no ${resource.kind} (${apiVersionOf(resource)}), which tunnelRoute asks for`;
      throw new KubeError({ message, status: 422, reason: "NoKind", delivery: "received" });
    }
    if (!isAlreadyExists(error)) throw error;
    const { metadata } = await client.get(resource, keyOf(object));
    const owner = object.metadata.ownerReferences?.[0]?.uid;
    if (metadata.ownerReferences?.some(({ uid }) => uid === owner)) return;
    throw notOwned(`${resource.kind} ${keyText(keyOf(object))} exists and is not the sandbox's`);
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
    if (isAlreadyExists(error)) return undefined;
    if (isNotFound(error)) {
      const { kind } = volumeSnapshots;
      return { kind: "notSaved", problem: `the cluster has no ${kind} (${apiVersionOf(volumeSnapshots)})` };
    }
    if (isForbidden(error) || isInvalid(error)) return { kind: "notSaved", problem: error.message.slice(0, 512) };
    throw error;
  }
}

/** What stands in the way of a pod that was refused; all else is thrown on, to be tried again. */
function obstacleOf(
  error: unknown,
  pod: { podName: string; podUID?: string | undefined },
  settings: FoundSettings,
): StartObstacle {
  if (isNotFound(error) || hasCause(error, "NamespaceTerminating")) return { kind: "gone" };
  if (isForbidden(error) && error.message.includes("exceeded quota")) {
    return { kind: "full", message: error.message, settings };
  }
  const { podName, podUID } = pod;
  if (isForbidden(error) || isInvalid(error)) return { kind: "rejected", podName, podUID, message: error.message };
  throw error;
}

/** What the API server answers to a body beyond its own limit, which is a few times a Secret's. */
function isTooLarge(error: unknown): boolean {
  return error instanceof KubeError && error.status === 413;
}

function hasCause(error: unknown, reason: string): boolean {
  return error instanceof KubeError && (error.details?.causes ?? []).some((cause) => cause.reason === reason);
}

function notOwned(message: string): KubeError {
  return new KubeError({ message, status: 422, reason: "NotOwned", delivery: "received" });
}
