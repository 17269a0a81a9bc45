import { createHash } from "node:crypto";
import { labels } from "../../../api/v1alpha1/names.ts";
import { SandboxPool } from "../../../api/v1alpha1/sandbox-pool.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { makeSandboxPod, type SandboxPodSource } from "../pod/pod.ts";

/** What a pod is made of beside its owner. */
export type WarmSource = Omit<SandboxPodSource, "owner" | "attempt" | "lifetimeMs" | "waits"> & {
  owner: Pick<SandboxPodSource["owner"], "spec">;
};

/**
 * A hash of all that a pod's later owner cannot change in it. A pod that waits serves an attempt only where the attempt's own
 * pod would have the same one.
 */
export function revisionOf({ owner: { spec }, ...source }: WarmSource): string {
  // A pod must have an owner; which one is not part of the hash.
  const owner = { resource: SandboxPool, metadata: { name: "any", uid: "any" }, spec };
  const pod = makeSandboxPod({ ...source, owner, attempt: 0, lifetimeMs: undefined, waits: true });
  const { annotations, labels: own = {} } = pod.metadata;
  const named = Object.entries(own).filter(([name]) => !ownerNames.includes(name));
  const text = JSON.stringify([named, annotations, pod.spec]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

const ownerNames: readonly string[] = [labels.ownerUid, labels.ownerKind, labels.ownerName, labels.attempt];

/** The pod that waits in a pool under this number. */
export function makeWarmPod(
  pool: Pick<SandboxPool, "metadata">,
  number: number,
  { owner: { spec }, ...source }: WarmSource,
): Pod {
  const owner = { resource: SandboxPool, metadata: pool.metadata, spec };
  return makeSandboxPod({ ...source, owner, attempt: number, lifetimeMs: undefined, waits: true });
}
