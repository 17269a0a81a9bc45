import { labels } from "../../src/api/v1alpha1/names.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, pods } from "../../src/kube/core-resources.ts";
import { until } from "../../test/support/kube.ts";
import { namespace } from "./tenant.ts";

const limitMs = 120_000;
const patches = 20;

/** What the cluster itself takes, in milliseconds. */
export interface Bare {
  /** From the creation of a pod until the API server shows all its containers running; looked at every 10 ms. */
  podStartMs: number;
  /** Patches of that pod, one at a time. */
  patchMs: number[];
}

/** Starts a pod with the images, resources and volumes of one that waits, and with nothing of ours running in it. */
export async function measureBare(client: KubeClient, round: number): Promise<Bare> {
  const { items } = await client.list(pods, { namespace, labelSelector: `${labels.ownerKind}=SandboxPool` });
  const [warm] = items;
  if (!warm) throw new Error("no sandbox waits");
  const key = { namespace, name: `bare-${round}` };
  const startedMs = performance.now();
  await client.create(pods, { metadata: key, spec: equalSpec(warm) });
  await until(`pod ${key.name} runs`, async () => isRunning(await client.get(pods, key)), limitMs);
  const podStartMs = performance.now() - startedMs;
  const patchMs: number[] = [];
  for (let number = 0; number < patches; number += 1) {
    const beganMs = performance.now();
    await client.patch(pods, key, { metadata: { annotations: { "bench/number": String(number) } } });
    patchMs.push(performance.now() - beganMs);
  }
  const { metadata } = await client.get(pods, key);
  await client.delete(pods, key, { uid: metadata.uid, gracePeriodSeconds: 0 });
  return { podStartMs, patchMs };
}

type PodSpec = NonNullable<Pod["spec"]>;

/** Containers that sleep, in all else like the pod's. */
function equalSpec({ spec }: Pod): PodSpec {
  if (!spec) throw new Error("the pod has no spec");
  const containers = spec.containers.map((one) => ({ ...one, command: ["sleep", "600"], args: [] }));
  const equal = { ...spec, containers };
  // The scheduler's to say again.
  delete equal.nodeName;
  return equal;
}

function isRunning({ spec, status }: Pod): boolean {
  const running = status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? [];
  return running.length === spec?.containers.length;
}
