import type { KubeClient } from "../../../kube/client.ts";
import { type Pod, pods } from "../../../kube/core-resources.ts";
import { conflict, isNotFound, isRefused } from "../../../kube/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import { handOverPatch } from "../hand-over.ts";
import type { AttemptOwner } from "../owner.ts";
import { poolAsOwner } from "./owner.ts";
import type { WarmPod, WarmPods } from "./warm-pods.ts";

/** How a pod of a pool becomes an attempt's. */
export interface PodClaim {
  warm: WarmPod;
  to: Pick<AttemptOwner, "resource" | "metadata">;
  /** As a new pod's; undefined: nothing of ours ends it. */
  lifetimeMs: number | undefined;
  /** As a new pod's annotation. */
  safeToEvict: string | undefined;
}

interface Deps {
  client: Pick<KubeClient, "patch">;
  clock: Pick<Clock, "now">;
  /** Left out where there are no pools. */
  warmPods?: Pick<WarmPods, "refused"> | undefined;
}

/**
 * Hands a pod of a pool over. Where another was faster this is a conflict, and the next decision chooses anew; a pod that
 * the API server refuses to hand over is not chosen again.
 */
export async function takeWarm({ client, clock, warmPods }: Deps, claim: PodClaim, attempt: number): Promise<Pod> {
  const { warm, ...handOver } = claim;
  const { pod, pool, isTaken } = warm;
  if (isTaken) return pod;
  try {
    const from = poolAsOwner(pool);
    const patch = handOverPatch({ ...handOver, pod, from, attempt, pool: pool.metadata.name }, clock.now());
    return await client.patch(pods, keyOf(pod), patch);
  } catch (error) {
    if (!isRefused(error) && !isNotFound(error)) throw error;
    warmPods?.refused(pod.metadata.uid ?? "");
    const message = `pod ${keyText(keyOf(pod))} of SandboxPool ${pool.metadata.name ?? ""} could not be taken: ${error.message}`;
    throw conflict(message);
  }
}
