import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeClient } from "./client.ts";
import { type Lease, leases } from "./core-resources.ts";
import { microTime } from "./micro-time.ts";
import { NotLeadingError } from "./outcome.ts";
import { type KubeLog, silentLog } from "./ports.ts";
import { sleep } from "../lib/sleep.ts";

export interface LeaderElectionDeps {
  /** Not the fenced one: it has to write before it leads. */
  client: Pick<KubeClient, "find" | "create" | "replace">;
  clock: Clock;
  random: Pick<Random, "fraction">;
  log?: KubeLog | undefined;
}

export interface LeaderElectionOptions {
  namespace: string;
  name: string;
  /** Different for each process, also for one that replaces another in the same pod. */
  identity: string;
  /** Milliseconds that others wait after they saw the last renewal, by default 15,000. */
  leaseDurationMs?: number;
  /** Milliseconds after its last renewal when the leader stops writing, by default 10,000. */
  renewDeadlineMs?: number;
  /** Milliseconds between attempts, by default 2,000. */
  retryPeriodMs?: number;
  /** What each renewal adds to the lease, which is given as it was found; undefined takes an annotation away. */
  annotations?: (found: Lease | undefined) => Readonly<Record<string, string | undefined>>;
}

const usual = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, annotations: () => ({}) };

const quickestMs = 100;
/** Timeout of each request that releases the lease, in milliseconds; only the next leader waits for it. */
const releaseMs = 5_000;
/** How often it is tried to release the lease. */
const mostReleases = 5;

/**
 * One leader among several processes by a Lease. Instants of other machines are never compared: a candidate waits the
 * lease's duration from when it saw it change, the leader counts from when it sent its last successful renewal. The
 * leader stops 5 s before anyone else may begin, which is the time that a write under way has to end.
 */
export class LeaderElection {
  readonly #deps: LeaderElectionDeps;
  readonly #options: Required<LeaderElectionOptions>;
  readonly #lost = Promise.withResolvers<undefined>();
  readonly #stop = new AbortController();
  #seen: { resourceVersion: string | undefined; atMs: number } | undefined;
  #held: Lease | undefined;
  #renewedMs: number | undefined;
  #renewing: Promise<void> | undefined;

  constructor(deps: LeaderElectionDeps, options: LeaderElectionOptions) {
    this.#deps = deps;
    this.#options = { ...usual, ...options };
  }

  /** The last renewal is younger than the deadline. */
  get isLeading(): boolean {
    return this.#renewedMs !== undefined && this.#ageMs() < this.#options.renewDeadlineMs;
  }

  /** Resolves when leadership was lost other than by {@link release}; the process should end then. */
  get lost(): Promise<undefined> {
    return this.#lost.promise;
  }

  /** Resolves with true once this process leads (and keeps renewing), with false when the signal ends the campaign. */
  async campaign(signal: AbortSignal): Promise<boolean> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      if (await this.#attempt(this.#options.retryPeriodMs * 2)) {
        (this.#deps.log ?? silentLog).info(
          { lease: this.#options.name, identity: this.#options.identity },
          "Became leader",
        );
        this.#renewing = this.#renewUntilLost();
        return true;
      }
      await sleep(this.#deps.clock, this.#jittered(), signal);
    }
    return false;
  }

  /** Throws a {@link NotLeadingError}, and resolves {@link lost}, unless this process surely leads. */
  assertLeading(): void {
    if (this.isLeading) return;
    if (this.#renewedMs !== undefined) this.#lost.resolve(undefined);
    throw new NotLeadingError("the last renewal of the leader's lease is too old to write anything");
  }

  /** A client that refuses every write while this process does not surely lead. */
  fence(client: KubeClient): KubeClient {
    return client.withHooks({ beforeWrite: () => this.assertLeading() });
  }

  /**
   * Stops renewing and, while still leading, gives the lease away so that the next leader need not wait for its end. It tries a
   * few times within its deadline: a renewal without an answer may be stored even between a look at the lease and the write.
   */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    const { clock } = this.#deps;
    const endMs = clock.monotonicMs() + this.#leftMs();
    let lease = this.isLeading ? this.#held : undefined;
    this.#renewedMs = undefined;
    for (let left = mostReleases; lease && left > 0 && clock.monotonicMs() < endMs; left -= 1) {
      if (await this.#giveAway(lease)) return;
      lease = await this.#stored(lease);
    }
  }

  async #giveAway(lease: Lease): Promise<boolean> {
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 };
    try {
      await this.#deps.client.replace(leases, { ...lease, spec }, { timeoutMs: releaseMs });
      return true;
    } catch {
      return false;
    }
  }

  /** The lease as it is stored, or as it was held where that cannot be read; undefined: it is another's. */
  async #stored(held: Lease): Promise<Lease | undefined> {
    try {
      const lease = await this.#deps.client.find(leases, this.#options, { timeoutMs: releaseMs });
      return lease?.spec?.holderIdentity === this.#options.identity ? lease : undefined;
    } catch {
      return held;
    }
  }

  async #renewUntilLost(): Promise<void> {
    const { clock, log = silentLog } = this.#deps;
    const isOver = (): boolean => this.#stop.signal.aborted;
    for (;;) {
      // More often near the deadline, so that an API server that recovers just before it gets one more attempt.
      await sleep(clock, Math.min(this.#jittered(), Math.max(this.#leftMs() / 2, quickestMs)), this.#stop.signal);
      if (isOver()) return;
      if (this.#leftMs() <= 0) break;
      // Not all that is left: after a dead connection there must be time for a second attempt.
      const renewed = await this.#attempt(Math.min(this.#leftMs(), this.#options.retryPeriodMs * 1.5));
      if (!renewed && this.#held === undefined) break;
    }
    log.error({ lease: this.#options.name, ageMs: this.#ageMs() }, "Lost leadership");
    this.#lost.resolve(undefined);
  }

  /** Takes or renews the lease; false when another holds it or the API server did not answer in time. */
  async #attempt(timeoutMs: number): Promise<boolean> {
    const startMs = this.#deps.clock.monotonicMs();
    try {
      const lease = await this.#deps.client.find(leases, this.#options, { timeoutMs });
      if (lease && this.#isHeldByAnother(lease)) {
        this.#giveUp();
        return false;
      }
      const leftMs = Math.max(timeoutMs - (this.#deps.clock.monotonicMs() - startMs), 1);
      this.#held = await this.#write(lease, leftMs);
      this.#renewedMs = startMs;
      return true;
    } catch (err) {
      (this.#deps.log ?? silentLog).debug({ lease: this.#options.name, err }, "Lease was not renewed");
      return false;
    }
  }

  /** Another process took over, so leadership ends before its deadline. */
  #giveUp(): void {
    this.#held = undefined;
    if (this.#renewedMs !== undefined) this.#renewedMs = -Infinity;
  }

  #isHeldByAnother(lease: Lease): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const { resourceVersion } = lease.metadata;
    if (this.#seen?.resourceVersion !== resourceVersion) this.#seen = { resourceVersion, atMs: nowMs };
    const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
    if (!holderIdentity || holderIdentity === this.#options.identity) return false;
    const durationMs = (leaseDurationSeconds ?? 0) * 1_000 || this.#options.leaseDurationMs;
    return nowMs - (this.#seen?.atMs ?? nowMs) < durationMs;
  }

  #write(lease: Lease | undefined, timeoutMs: number): Promise<Lease> {
    const { namespace, name, identity } = this.#options;
    const renewTime = microTime(this.#deps.clock.now());
    const leaseDurationSeconds = Math.ceil(this.#options.leaseDurationMs / 1_000);
    const renewal = { holderIdentity: identity, leaseDurationSeconds, renewTime };
    if (!lease) {
      const spec = { ...renewal, acquireTime: renewTime, leaseTransitions: 0 };
      const metadata = { namespace, name, annotations: this.#annotations(undefined) };
      return this.#deps.client.create(leases, { metadata, spec }, { timeoutMs });
    }
    const { holderIdentity, acquireTime = renewTime, leaseTransitions = 0 } = lease.spec ?? {};
    const term =
      holderIdentity === identity
        ? { acquireTime, leaseTransitions }
        : { acquireTime: renewTime, leaseTransitions: leaseTransitions + 1 };
    const metadata = { ...lease.metadata, annotations: this.#annotations(lease) };
    return this.#deps.client.replace(leases, { ...lease, metadata, spec: { ...renewal, ...term } }, { timeoutMs });
  }

  #annotations(found: Lease | undefined): Record<string, string> {
    const wanted = { ...found?.metadata.annotations, ...this.#options.annotations(found) };
    const set = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return Object.fromEntries(set);
  }

  #ageMs(): number {
    return this.#deps.clock.monotonicMs() - (this.#renewedMs ?? -Infinity);
  }

  #leftMs(): number {
    return this.#options.renewDeadlineMs - this.#ageMs();
  }

  #jittered(): number {
    return this.#options.retryPeriodMs * (1 + 0.2 * this.#deps.random.fraction());
  }
}
