import { apiVersion, labels, SandboxClass, SandboxPool } from "../../../src/api/v1alpha1/index.ts";
import { pods } from "../../../src/kube/core-resources.ts";
import { waitUntil } from "../../../hack/lib/wait.ts";
import { accountName } from "./tenant-objects.ts";
import { apply, type Workbench } from "./workbench.ts";

/** The pool of a tenant. */
export const poolName = "warm";

const limitMs = 180_000;

/** Has sandboxes wait for the sessions of a tenant's Automation. */
export async function makePool(
  bench: Workbench,
  { namespace, className, replicas }: { namespace: string; className: string; replicas: number },
): Promise<void> {
  await bench.client.patch(SandboxClass, { name: className }, { spec: { maxWarmSandboxes: replicas } });
  const spec = { sandboxClassName: className, serviceAccountName: accountName, replicas };
  await apply(bench, [{ apiVersion, kind: "SandboxPool", metadata: { name: poolName, namespace }, spec }]);
}

/**
 * Waits until as many sandboxes wait as the pool is to have; gives their pods' UIDs. Its status shows those that were taken
 * for some seconds. Throws after 3 minutes.
 */
export async function untilPoolIsFull({ client }: Workbench, namespace: string): Promise<string[]> {
  const look = (): Promise<SandboxPool> => client.get(SandboxPool, { namespace, name: poolName });
  const ready = ({ status }: SandboxPool) => status?.conditions?.find(({ type }) => type === "Ready");
  let pool = await look();
  const membersOf = ({ status }: SandboxPool) => status?.members?.flatMap(({ podUID }) => podUID ?? []) ?? [];
  const isFull = async (): Promise<boolean> => {
    pool = await look();
    const own = await client.list(pods, { namespace, labelSelector: `${labels.ownerKind}=${SandboxPool.kind}` });
    const waiting = new Set(own.items.map(({ metadata }) => metadata.uid));
    const isSeen = pool.status?.observedGeneration === pool.metadata.generation;
    return isSeen && ready(pool)?.status === "True" && membersOf(pool).every((uid) => waiting.has(uid));
  };
  await waitUntil(isFull, limitMs, () =>
    Promise.resolve(`the pool is full; it is ${ready(pool)?.reason}: ${ready(pool)?.message}`),
  );
  return membersOf(pool);
}
