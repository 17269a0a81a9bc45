import { gatewayLeaseLabels, gatewayLeaseName } from "../../api/runtime/pod-contract.ts";
import { annotations, labels } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases } from "../../kube/core-resources.ts";
import { isNotFound } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";

interface Deps {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  release: { name: string; namespace: string };
  podName: string;
  /** Owner of the Lease; undefined outside a cluster, where the Lease stays. */
  podUid?: string | undefined;
  /** Where the other replicas reach its REST API; undefined outside a cluster, where it has no address of its own. */
  apiAddress?: string | undefined;
}

const everyMs = 5_000;
const leaseDurationSeconds = 15;

/**
 * Renews this replica's Lease. While no gateway has renewed its own Lease for 15 s, no heartbeat could arrive, so the
 * controller does not end sandboxes for missing ones.
 */
export async function keepOwnLease(deps: Deps, signal: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal.aborted;
  while (!isStopped()) {
    try {
      await renew(deps, signal);
    } catch (error) {
      if (!isStopped()) deps.logger.warn({ err: error }, "Could not renew the gateway's own Lease");
    }
    await sleep(deps.clock, everyMs, signal);
  }
}

async function renew(deps: Deps, signal: AbortSignal): Promise<void> {
  const { client, clock, release, podName, apiAddress } = deps;
  const key = { namespace: release.namespace, name: gatewayLeaseName(podName) };
  const renewTime = microTime(clock.now());
  try {
    const metadata = { annotations: addressNote(apiAddress) };
    await client.patch(leases, key, { metadata, spec: { renewTime } }, { signal, timeoutMs: everyMs });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(leases, makeLease(deps, renewTime), { signal, timeoutMs: everyMs });
  }
}

function addressNote(apiAddress: string | undefined): Record<string, string> {
  return apiAddress === undefined ? {} : { [annotations.peopleAddress]: apiAddress };
}

function makeLease({ release, podName, podUid, apiAddress }: Deps, renewTime: string): Lease {
  return {
    metadata: {
      namespace: release.namespace,
      name: gatewayLeaseName(podName),
      labels: { ...gatewayLeaseLabels, [labels.release]: `${release.namespace}.${release.name}` },
      annotations: addressNote(apiAddress),
      ...(podUid ? { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid: podUid }] } : {}),
    },
    spec: { holderIdentity: podName, leaseDurationSeconds, acquireTime: renewTime, renewTime },
  };
}
