import type { BootFailure, SnapshotNote } from "../../api/runtime/bundle.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import { ownerLabelsIn } from "../../domain/attempts/owner-labels.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import type { Clock } from "../../lib/clock.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";
import type { Attempt } from "./attempt.ts";
import type { Bundles } from "./bundles.ts";

/** For readers of the Lease; the controller measures with its own clock. */
const heartbeatSeconds = 90;

/** What the gateway knows of an attempt, on its Lease, so that only the controller writes the Session's status. */
export interface AttemptLease {
  /** Records a heartbeat. Rejects with a 404 when the attempt's bundle, and so its Lease, was deleted. */
  renew(): Promise<void>;
  /** Records once that boot has succeeded. */
  markReady(): Promise<void>;
  /** Records once that boot has failed for good. */
  markBootFailed(failure: BootFailure): Promise<void>;
  /** Records once the result of saving the workspace. */
  markSnapshot(note: SnapshotNote): Promise<void>;
  /** Whether {@link markSnapshot} was called. */
  readonly hasSnapshot: boolean;
}

interface LeasesDeps {
  client: KubeClient;
  bundles: Pick<Bundles, "secret">;
  clock: Clock;
  namespace: string;
  /** This replica. */
  holder: string;
}

/** Leases of attempts in the sessions namespace, owned by the bundle Secrets. */
export class AttemptLeases {
  readonly #deps: LeasesDeps;

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
  }

  /** Creates the Lease at the attempt's first connection, renews it at later ones. */
  async open(attempt: Attempt): Promise<AttemptLease> {
    const { client, namespace } = this.#deps;
    const found = await client.find(leases, { namespace, name: attempt.name });
    const lease = found ?? (await this.#create(attempt));
    const open = openLease(this.#deps, attempt, lease);
    if (found) await open.renew();
    return open;
  }

  async #create(attempt: Attempt): Promise<Lease> {
    const { client, bundles, clock, namespace, holder } = this.#deps;
    const secret = await bundles.secret(attempt);
    const now = clock.now();
    try {
      return await client.create(leases, {
        metadata: {
          namespace,
          name: attempt.name,
          labels: ownerLabelsIn(secret.metadata),
          annotations: { [annotations.connectedTime]: now.toISOString() },
          ownerReferences: [ownerReferenceTo(secrets, secret, false)],
        },
        spec: {
          holderIdentity: holder,
          leaseDurationSeconds: heartbeatSeconds,
          acquireTime: microTime(now),
          renewTime: microTime(now),
        },
      });
    } catch (error) {
      // Another replica created it for an earlier connection of the runtime.
      if (isAlreadyExists(error)) return client.get(leases, { namespace, name: attempt.name });
      throw error;
    }
  }
}

function openLease(deps: LeasesDeps, { name }: Attempt, lease: Lease): AttemptLease {
  const { client, clock, namespace, holder } = deps;
  let known = lease.metadata.annotations ?? {};
  /** Without a resource version: only what the runtime reports is written, everything except the time once. */
  const patch = async (added: Record<string, string>): Promise<void> => {
    const spec = { holderIdentity: holder, renewTime: microTime(clock.now()) };
    const stored = await client.patch(leases, { namespace, name }, { metadata: { annotations: added }, spec });
    known = stored.metadata.annotations ?? {};
  };
  const patchOnce = async (annotation: string, value: string): Promise<void> => {
    if (known[annotation] === undefined) await patch({ [annotation]: value });
  };
  return {
    renew: () => patch({}),
    markReady: () => patchOnce(annotations.readyTime, clock.now().toISOString()),
    markBootFailed: (failure) => patchOnce(annotations.bootFailure, JSON.stringify(failure)),
    markSnapshot: (note) => patch({ [annotations.snapshot]: JSON.stringify(note) }),
    get hasSnapshot() {
      return known[annotations.snapshot] !== undefined;
    },
  };
}
