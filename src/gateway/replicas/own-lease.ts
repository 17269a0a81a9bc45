import { gatewayLeaseLabels, gatewayLeaseName } from "../../api/runtime/pod-contract.ts";
import { annotations, labels, type ReplicaNote } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases } from "../../kube/core-resources.ts";
import { isNotFound } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { ReplicaIdentity } from "./identity.ts";

interface Deps {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  release: { name: string; namespace: string };
  podName: string;
  /** Owner of the Lease; undefined outside a cluster, where the Lease stays. */
  podUid?: string | undefined;
  identity: ReplicaIdentity;
  /** UIDs of the pods whose runtimes wait here for a session. */
  waitingPods: () => readonly string[];
  /** Brings what a renewal vouches for up to date; a rejection holds the renewal back. */
  beforeRenewal: () => Promise<void>;
  /** Called when the Lease has lapsed, before this replica takes another identity. */
  lapsed: () => void;
}

type Said = Partial<Record<ReplicaNote, string>>;

const everyMs = 5_000;
const noteMs = 100;
const leaseDurationSeconds = 15;

/**
 * This replica's Lease. Each renewal says that the runtimes beat whose Leases this replica holds, except where these say
 * that they are silent. When it was not renewed for 15 s it has lapsed: the replica gives up all that it holds, so that
 * runtimes go to another one, and comes back under another identity (ADR 0030).
 */
export class OwnLease {
  readonly #deps: Deps;
  /** When the last renewal began that was answered; undefined while the Lease is not live. */
  #renewedMs: number | undefined;
  #lapse: Timer | undefined;
  #noting: Timer | undefined;
  /** Pods that wait were named once: from then on each renewal says which do. */
  #hasWaiting = false;
  #apiAddress: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether the Lease was renewed within the last 15 s: until then no runtime is served. */
  get isLive(): boolean {
    return (
      this.#renewedMs !== undefined && this.#deps.clock.monotonicMs() - this.#renewedMs < leaseDurationSeconds * 1_000
    );
  }

  /**
   * Renews the Lease each 5 s until the signal is aborted. `apiAddress` is where other replicas reach this one's REST API;
   * undefined outside a cluster, where it has no address of its own.
   */
  async keep(apiAddress: string | undefined, signal: AbortSignal): Promise<void> {
    const { clock, logger, beforeRenewal } = this.#deps;
    const isStopped = (): boolean => signal.aborted;
    this.#apiAddress = apiAddress;
    while (!isStopped()) {
      const beganMs = clock.monotonicMs();
      // A process that was stopped finds out here, before it vouches for anything.
      this.#lapseIfDue();
      try {
        await beforeRenewal();
        await this.#renew(apiAddress, signal);
      } catch (error) {
        if (!isStopped()) logger.warn({ err: error }, "Could not renew the gateway's own Lease");
      }
      await sleep(clock, Math.max(0, everyMs - (clock.monotonicMs() - beganMs)), signal);
    }
    this.#lapse?.cancel();
    this.#noting?.cancel();
  }

  /** Has the pods that wait written soon; several changes within {@link noteMs} are one write. */
  waitingChanged(signal: AbortSignal): void {
    const { clock, logger } = this.#deps;
    if (this.#noting || !this.isLive) return;
    this.#noting = clock.setTimeout(() => {
      this.#noting = undefined;
      if (signal.aborted) return;
      this.#renew(this.#apiAddress, signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, "Could not note yet which pods wait");
      });
    }, noteMs);
  }

  async #renew(apiAddress: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, release, podName, identity } = this.#deps;
    this.#lapseIfDue();
    const beganMs = clock.monotonicMs();
    const holder = identity.current;
    const renewTime = microTime(clock.now());
    const key = { namespace: release.namespace, name: gatewayLeaseName(podName) };
    const metadata = { annotations: { ...addressNote(apiAddress), ...this.#waitingNote() } };
    const spec = {
      holderIdentity: holder,
      renewTime,
      ...(this.#renewedMs === undefined ? { acquireTime: renewTime } : {}),
    };
    try {
      await client.patch(leases, key, { metadata, spec }, { signal, timeoutMs: everyMs });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const lease = { metadata: { ...this.#newMetadata(), ...metadata }, spec: { ...spec, leaseDurationSeconds } };
      await client.create(leases, lease, { signal, timeoutMs: everyMs });
    }
    if (holder === identity.current) this.#renewed(beganMs);
  }

  #waitingNote(): Said {
    const pods = this.#deps.waitingPods();
    this.#hasWaiting ||= pods.length > 0;
    return this.#hasWaiting ? { [annotations.waitingPods]: pods.join(",") } : {};
  }

  #newMetadata(): Lease["metadata"] {
    const { release, podName, podUid } = this.#deps;
    return {
      namespace: release.namespace,
      name: gatewayLeaseName(podName),
      labels: { ...gatewayLeaseLabels, [labels.release]: `${release.namespace}.${release.name}` },
      ...(podUid ? { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid: podUid }] } : {}),
    };
  }

  #renewed(beganMs: number): void {
    const { clock } = this.#deps;
    this.#renewedMs = beganMs;
    this.#lapse?.cancel();
    const leftMs = beganMs + leaseDurationSeconds * 1_000 - clock.monotonicMs();
    this.#lapse = clock.setTimeout(() => this.#lapseIfDue(), Math.max(0, leftMs));
  }

  #lapseIfDue(): void {
    if (this.#renewedMs === undefined || this.isLive) return;
    this.#renewedMs = undefined;
    this.#lapse?.cancel();
    this.#deps.logger.warn("The gateway's own Lease has lapsed: all runtimes are disconnected");
    this.#deps.lapsed();
    this.#deps.identity.change();
  }
}

function addressNote(apiAddress: string | undefined): Said {
  return apiAddress === undefined ? {} : { [annotations.peopleAddress]: apiAddress };
}
