import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import { annotations, attemptName, type AttemptNote } from "../../api/v1alpha1/names.ts";
import { ownerLabelsIn } from "../../domain/attempts/owner-labels.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import type { Clock } from "../../lib/clock.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Attempt, AttemptId } from "./attempt.ts";
import { type Bundles, BundleUnavailableError } from "./bundles.ts";
import { type Claim, connectionOf, HeldLease, LeaseTakenError, mostTries } from "./held-lease.ts";
import type { Notes } from "./silence.ts";

/** What the gateway knows of an attempt, on its Lease, so that only the controller writes the Session's status. */
export type AttemptLease = Pick<
  HeldLease,
  | "beat"
  | "boots"
  | "costs"
  | "costDueInMs"
  | "storeCost"
  | "markReady"
  | "markBuilt"
  | "markBootFailed"
  | "markSnapshot"
  | "snapshot"
  | "markRestore"
  | "restore"
>;

interface LeasesDeps {
  client: KubeClient;
  bundles: Pick<Bundles, "secret">;
  clock: Clock;
  logger: Logger;
  namespace: string;
  /** This replica, as it signs Leases now. */
  identity: { readonly current: string };
  /** Whether the attempt has not ended. */
  goesOn: (attempt: Attempt) => boolean;
}

/** Notes that are written at once. */
const mostAtOnce = 16;

/**
 * Leases of attempts in the sessions namespace, owned by the bundle Secrets. They are written when something changes: that
 * a runtime beats is said by the renewals of the replica's own Lease, for all of which this does not note that they are
 * silent (ADR 0030).
 */
export class AttemptLeases {
  readonly #deps: LeasesDeps;
  /** By name: those of runtimes whose last connection, as far as is known here, was to this replica. */
  readonly #held = new Map<string, { attempt: Attempt; lease: HeldLease }>();

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
  }

  /**
   * Makes this replica the holder of an attempt's Lease, for a connection of its runtime. With `mayWait` a Lease that is
   * not there is created later, with what there is to say of the runtime (ADR 0076).
   * @throws LeaseTakenError when a later connection has it, BundleUnavailableError
   */
  async claim(attempt: Attempt, connection: number, { mayWait = false } = {}): Promise<AttemptLease> {
    const claim: Claim = { holder: this.#deps.identity.current, connection };
    const take = (): Promise<Lease> => this.#take(attempt, claim);
    const isToCome = mayWait && !(await this.#find(attempt));
    const lease = isToCome
      ? new HeldLease(this.#deps, claim, await this.#first(attempt, claim), take)
      : new HeldLease(this.#deps, claim, await take());
    // One whose replica is another holder by now is not vouched for.
    if (claim.holder === this.#deps.identity.current) this.#held.set(attempt.name, { attempt, lease });
    return lease;
  }

  /** The Lease of an attempt whose runtime is connected. Rejects when it is not held here. */
  open({ name }: Attempt): Promise<AttemptLease> {
    const held = this.#held.get(name);
    return held ? Promise.resolve(held.lease) : Promise.reject(new Error("this replica does not hold the Lease"));
  }

  /** The sandbox of an attempt is used through a tunnel; of one whose runtime is not connected nothing is noted. */
  used({ sessionUid, attempt }: AttemptId): void {
    this.#held.get(attemptName(sessionUid, attempt))?.lease.used();
  }

  /** Events of an attempt were left out. It is noted now, and tried again with what else is due while that fails. */
  async leftOut(attempt: Attempt, why: EventsLeftOut): Promise<void> {
    const lease = this.#held.get(attempt.name)?.lease;
    lease?.leavesOut(why);
    if (lease?.owesNotes()) await this.#note(attempt, lease);
  }

  /** Notes which runtimes are silent, and what else is due. Rejects while a silence is not stored: until then nothing may be vouched for. */
  async noteSilence(): Promise<void> {
    const due = [...this.#held.values()].filter(({ lease }) => lease.owesNotes());
    const queue = due.values();
    const work = async (): Promise<void> => {
      for (const { attempt, lease } of queue) if (this.#holds(attempt, lease)) await this.#note(attempt, lease);
    };
    await Promise.all(Array.from({ length: Math.min(mostAtOnce, due.length) }, work));
    const left = due.filter(({ attempt, lease }) => this.#holds(attempt, lease) && lease.owesSilence());
    if (left.length > 0) throw new Error(`the silence of ${left.length} runtimes could not be noted`);
  }

  /** Vouches for nothing any more. */
  drop(): void {
    this.#held.clear();
  }

  #holds({ name }: Attempt, lease: HeldLease): boolean {
    return this.#held.get(name)?.lease === lease;
  }

  async #note(attempt: Attempt, lease: HeldLease): Promise<void> {
    try {
      if (!this.#deps.goesOn(attempt)) this.#held.delete(attempt.name);
      else await lease.storeNotes().catch((error: unknown) => this.#noteAnew(attempt, lease, error));
    } catch (error) {
      const { session, namespace } = attempt;
      if (error instanceof LeaseTakenError || error instanceof BundleUnavailableError) this.#held.delete(attempt.name);
      else this.#deps.logger.warn({ err: error, session, namespace }, "Could not write a session's Lease yet");
    }
  }

  /** A Lease that was deleted while its attempt goes on is made again, or nothing would say that the runtime is silent. */
  async #noteAnew(attempt: Attempt, lease: HeldLease, error: unknown): Promise<void> {
    if (!isNotFound(error)) throw error;
    lease.use(await this.#deps.client.create(leases, await this.#owned(attempt, lease.stored)));
    await lease.storeNotes();
  }

  #find({ name }: Attempt): Promise<Lease | undefined> {
    const { client, namespace } = this.#deps;
    return client.find(leases, { namespace, name });
  }

  async #take(attempt: Attempt, claim: Claim): Promise<Lease> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#takeOnce(attempt, claim);
      } catch (error) {
        if (tries === mostTries || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }

  async #takeOnce(attempt: Attempt, claim: Claim): Promise<Lease> {
    const { client, namespace } = this.#deps;
    const found = await this.#find(attempt);
    if (!found) return client.create(leases, await this.#first(attempt, claim));
    const { connection } = claim;
    if (connectionOf(found) > connection) throw new LeaseTakenError("the runtime has connected again since");
    const own: Notes = { [annotations.connection]: String(connection), [annotations.silentSince]: null };
    return client.patch(
      leases,
      { namespace, name: attempt.name },
      {
        metadata: { resourceVersion: found.metadata.resourceVersion, annotations: own },
        spec: { ...this.#specOf(claim), leaseDurationSeconds: null },
      },
    );
  }

  #specOf({ holder }: Claim): NonNullable<Lease["spec"]> {
    const now = microTime(this.#deps.clock.now());
    return { holderIdentity: holder, renewTime: now, acquireTime: now };
  }

  /** The Lease of a runtime that has connected for the first time. */
  #first(attempt: Attempt, claim: Claim): Promise<Lease> {
    const said: Partial<Record<AttemptNote, string>> = {
      [annotations.connectedTime]: this.#deps.clock.now().toISOString(),
      [annotations.connection]: String(claim.connection),
    };
    return this.#owned(attempt, { metadata: { annotations: said }, spec: this.#specOf(claim) });
  }

  /** A Lease that goes with the attempt's bundle Secret. */
  async #owned(attempt: Attempt, { metadata, spec }: Lease): Promise<Lease> {
    const { bundles, namespace } = this.#deps;
    const secret = await bundles.secret(attempt);
    return {
      metadata: {
        namespace,
        name: attempt.name,
        labels: ownerLabelsIn(secret.metadata),
        ...(metadata.annotations && { annotations: metadata.annotations }),
        ownerReferences: [ownerReferenceTo(secrets, secret, false)],
      },
      ...(spec && { spec }),
    };
  }
}
