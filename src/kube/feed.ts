import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { type Cache, type CacheOptions, type Change, keptOf } from "./cache.ts";
import type { KubeClient } from "./client.ts";
import type { Selection } from "./client-options.ts";
import { auditDrift } from "./drift-audit.ts";
import { isAborted } from "./errors.ts";
import { type KubeLog, silentLog } from "./ports.ts";
import { type ListReason, Reflector } from "./reflector.ts";
import { sleep } from "../lib/sleep.ts";

/** Counts what happens to a cache; `resource` is the plural. */
export interface InformerMetrics {
  listed(resource: string, reason: ListReason): void;
  watchEnded(resource: string, outcome: "ended" | "failed"): void;
  /** Objects that a fresh list showed otherwise than the cache: events were missed. */
  drifted(resource: string, objects: number): void;
}

export interface FeedDeps {
  client: Pick<KubeClient, "list" | "watch">;
  clock: Clock;
  random: Pick<Random, "fraction">;
  log?: KubeLog | undefined;
  metrics?: InformerMetrics | undefined;
}

export interface FeedOptions<T extends KubeObject> extends CacheOptions<T> {
  resource: Resource<T>;
  /** The part of the collection that it lists and watches; with a namespace, it owns that part of the cache. */
  selection: Selection;
  cache: Cache<T>;
  /** Milliseconds without data on the watch after which it is reopened, by default 90,000. */
  idleTimeoutMs?: number | undefined;
  /** Milliseconds between comparisons with a fresh list, by default 10 minutes; 0 = never. */
  auditEveryMs?: number | undefined;
}

/** Receives what a feed brings. */
export interface FeedSink<T extends KubeObject> {
  changed(changes: readonly Change<T>[]): void;
  /** Called after each full list and its changes. */
  listed(reason: ListReason): void;
}

/** One list and watch that keep a cache, or one namespace's part of it, up to date. */
export class Feed<T extends KubeObject> {
  readonly #deps: FeedDeps;
  readonly #options: FeedOptions<T>;
  readonly #sink: FeedSink<T>;
  readonly #reflector: Reflector<T>;
  #hasSynced = false;

  constructor(deps: FeedDeps, options: FeedOptions<T>, sink: FeedSink<T>) {
    const { client, clock, random } = deps;
    const { resource, selection, cache, idleTimeoutMs = 90_000 } = options;
    this.#deps = deps;
    this.#options = options;
    this.#sink = sink;
    this.#reflector = new Reflector(
      { client, clock, random, resource, selection, transform: (object) => keptOf(object, options), idleTimeoutMs },
      {
        listed: (items, reason, resourceVersion) => this.#listed(items, reason, resourceVersion),
        changed: ({ type, object }) => sink.changed(type === "DELETED" ? cache.drop(object) : cache.put(object)),
        ended: (error, failures) => this.#ended(error, failures),
      },
    );
  }

  /** Lists and watches until the signal ends it; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#reflector.run(signal), this.#auditRegularly(signal)]);
  }

  /** Whether its part was listed at least once. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resource version up to which all changes were delivered. */
  get place(): string | undefined {
    return this.#reflector.place;
  }

  /** Whether this feed brings objects of this namespace. */
  covers(namespace: string | undefined): boolean {
    const { selection } = this.#options;
    return selection.namespace === undefined || selection.namespace === namespace;
  }

  #listed(items: T[], reason: ListReason, resourceVersion: string | undefined): void {
    const { cache, resource, selection } = this.#options;
    const changes = cache.replace(items, resourceVersion, selection.namespace);
    this.#hasSynced = true;
    this.#deps.metrics?.listed(resource.plural, reason);
    this.#sink.changed(changes);
    this.#sink.listed(reason);
  }

  #ended(error: unknown, failures: number): void {
    if (isAborted(error)) return;
    const { log = silentLog, metrics } = this.#deps;
    const resource = this.#options.resource.plural;
    metrics?.watchEnded(resource, error === undefined ? "ended" : "failed");
    if (error === undefined) return;
    const data = { err: error, resource, namespace: this.#options.selection.namespace, failures };
    // Logged once per outage, not once per attempt.
    if (failures === 3) log.warn(data, "Watch failed repeatedly, still trying");
    else log.debug(data, "Watch failed, trying again");
  }

  async #auditRegularly(signal: AbortSignal): Promise<void> {
    const { clock, random, client, log = silentLog, metrics } = this.#deps;
    const { resource, selection, cache, auditEveryMs: everyMs = 600_000 } = this.#options;
    if (everyMs === 0) return;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await sleep(clock, everyMs * (0.9 + random.fraction() / 5), signal);
      if (isOver() || !this.#hasSynced) continue;
      const missed = await auditDrift({ client, clock, resource, selection, cache }, signal).catch(() => 0);
      if (missed === 0) continue;
      metrics?.drifted(resource.plural, missed);
      log.warn({ resource: resource.plural, missed }, "Watch had missed changes, listing anew");
      this.#reflector.relist();
    }
  }
}
