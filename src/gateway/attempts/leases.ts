import type { BootFailure, SnapshotNote } from "../../api/runtime/bundle.ts";
import { annotations, labels } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import type { Clock } from "../../lib/clock.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";
import type { Attempt } from "./attempt.ts";
import type { BundlePort } from "./bundles.ts";

/** Shown to people; the controller measures with its own clock. */
const heartbeatSeconds = 90;

/** What is known of an attempt, kept on its Lease so that the controller sees it without a status write of ours. */
export interface AttemptLease {
  /** Shows that the runtime is alive. Rejects with a 404 when the attempt's bundle, and so its Lease, was deleted. */
  renew(): Promise<void>;
  /** Notes once that boot has ended. */
  markReady(): Promise<void>;
  /** Notes once that boot has failed for good. */
  markBootFailed(failure: BootFailure): Promise<void>;
  /** Notes once how the saving of the workspace came out. */
  markSnapshot(note: SnapshotNote): Promise<void>;
  /** Whether that is noted. */
  readonly hasSnapshot: boolean;
}

export interface AttemptLeasePort {
  /** Makes the Lease at the attempt's first connection, renews it at each later one. */
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

/** Leases of attempts in the sessions namespace; they go with the bundle Secret. */
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
          labels: {
            [labels.sessionUid]: attempt.sessionUid,
            [labels.sessionName]: attempt.session,
            [labels.sessionNamespace]: attempt.namespace,
          },
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
      // Another replica was told by the same runtime a moment ago.
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

  /** Without a resource version: only the runtime's own words are written here, and each of them but the time once. */
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
