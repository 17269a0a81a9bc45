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
import type { BundlePort } from "./bundles.ts";

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

export interface AttemptLeasePort {
  /** Creates the Lease at the attempt's first connection, renews it at later ones. */
  open(attempt: Attempt): Promise<AttemptLease>;
}

interface LeasesDeps {
  client: KubeClient;
  bundles: Pick<BundlePort, "secret">;
  clock: Clock;
  namespace: string;
  /** This replica. */
  holder: string;
}

/** Leases of attempts in the sessions namespace, owned by the bundle Secrets. */
export class AttemptLeases implements AttemptLeasePort {
  readonly #deps: LeasesDeps;

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
  }

  async open(attempt: Attempt): Promise<AttemptLease> {
    const { client, namespace } = this.#deps;
    const found = await client.find(leases, { namespace, name: attempt.name });
    const lease = found ?? (await this.#create(attempt));
    const open = new OpenLease(this.#deps, attempt, lease.metadata.annotations ?? {});
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

class OpenLease implements AttemptLease {
  readonly #deps: LeasesDeps;
  readonly #attempt: Attempt;
  #annotations: Readonly<Record<string, string>>;

  constructor(deps: LeasesDeps, attempt: Attempt, known: Readonly<Record<string, string>>) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#annotations = known;
  }

  renew(): Promise<void> {
    return this.#patch({});
  }

  async markReady(): Promise<void> {
    if (this.#annotations[annotations.readyTime] !== undefined) return;
    await this.#patch({ [annotations.readyTime]: this.#deps.clock.now().toISOString() });
  }

  async markBootFailed(failure: BootFailure): Promise<void> {
    if (this.#annotations[annotations.bootFailure] !== undefined) return;
    await this.#patch({ [annotations.bootFailure]: JSON.stringify(failure) });
  }

  get hasSnapshot(): boolean {
    return this.#annotations[annotations.snapshot] !== undefined;
  }

  async markSnapshot(note: SnapshotNote): Promise<void> {
    await this.#patch({ [annotations.snapshot]: JSON.stringify(note) });
  }

  /** Without a resource version: only what the runtime reports is written, everything except the time once. */
  async #patch(added: Readonly<Record<string, string>>): Promise<void> {
    const { client, clock, namespace, holder } = this.#deps;
    const stored = await client.patch(
      leases,
      { namespace, name: this.#attempt.name },
      {
        metadata: { annotations: added },
        spec: { holderIdentity: holder, renewTime: microTime(clock.now()) },
      },
    );
    this.#annotations = stored.metadata.annotations ?? {};
  }
}
