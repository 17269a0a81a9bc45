import type { Clock } from "../lib/clock.ts";
import { keyOf, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import { Cache, type CacheOptions, type Change, keptOf } from "./cache.ts";
import type { KubeClient } from "./client.ts";
import type { Selection, WriteBasis } from "./client-options.ts";
import { auditDrift } from "./drift-audit.ts";
import { isAborted } from "./errors.ts";
import { type KubeLog, silentLog } from "./ports.ts";
import { type ListReason, Reflector } from "./reflector.ts";
import { isNewer } from "./resource-version.ts";
import { sleep } from "./sleep.ts";

/** Counts what happens to a cache; `resource` is the plural. */
export interface InformerMetrics {
  listed(resource: string, reason: ListReason): void;
  watchEnded(resource: string, outcome: "ended" | "failed"): void;
  /** Objects that a fresh list showed otherwise than the cache: events were missed. */
  drifted(resource: string, objects: number): void;
}

export interface InformerDeps {
  client: Pick<KubeClient, "list" | "watch">;
  clock: Clock;
  /** From 0 to 1. */
  random?: (() => number) | undefined;
  log?: KubeLog | undefined;
  metrics?: InformerMetrics | undefined;
}

export interface InformerOptions<T extends KubeObject> extends Selection, CacheOptions<T> {
  /** Milliseconds without a word on the watch after which it is opened anew, by default 90,000. */
  idleTimeoutMs?: number | undefined;
  /** Milliseconds between comparisons with a fresh list, by default 10 minutes; 0 = never. */
  auditEveryMs?: number | undefined;
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

/**
 * A cache of one collection that follows the API server through every fault: what it shows is some past state of each
 * object, never an older one than it showed before. Objects are frozen.
 */
export class Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** Which part of the collection it follows. */
  readonly selection: Selection;
  readonly #deps: InformerDeps;
  readonly #options: InformerOptions<T>;
  readonly #cache: Cache<T>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #listHandlers = new Set<(reason: ListReason) => void>();
  readonly #stop = new AbortController();
  readonly #firstList = Promise.withResolvers<undefined>();
  #running: Promise<unknown> | undefined;
  #hasSynced = false;
  #lastListedMs: number | undefined;
  #lastHeardMs: number | undefined;

  constructor(deps: InformerDeps, resource: Resource<T>, options: InformerOptions<T> = {}) {
    const { client, clock, random = Math.random } = deps;
    this.resource = resource;
    this.selection = selectionOf(options);
    this.#deps = deps;
    this.#options = options;
    this.#cache = new Cache(options);
    this.#reflector = new Reflector(
      {
        client,
        clock,
        random,
        resource,
        selection: this.selection,
        transform: (object) => keptOf(object, options),
        idleTimeoutMs: options.idleTimeoutMs ?? 90_000,
      },
      {
        listed: (items, reason, resourceVersion) => this.#listed(items, reason, resourceVersion),
        changed: ({ type, object }) =>
          this.#tell(type === "DELETED" ? this.#cache.drop(object) : this.#cache.put(object)),
        heard: () => (this.#lastHeardMs = clock.monotonicMs()),
        ended: (error, failures) => this.#ended(error, failures),
      },
    );
  }

  /** Begins to follow the collection; a second call does nothing. */
  start(): void {
    this.#running ??= Promise.all([
      this.#reflector.run(this.#stop.signal),
      this.#auditAgainAndAgain(this.#stop.signal),
    ]);
  }

  /** Ends watch and timers; resolves when nothing is under way any more. The cache stays readable. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The collection was read whole at least once. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves once {@link hasSynced}. */
  async synced(): Promise<void> {
    await this.#firstList.promise;
  }

  /** Monotonic milliseconds of the last full list: what was counted by events may have begun anew. */
  get lastListedMs(): number | undefined {
    return this.#lastListedMs;
  }

  /** Monotonic milliseconds of the last word from the API server on this collection. */
  get lastHeardMs(): number | undefined {
    return this.#lastHeardMs;
  }

  get size(): number {
    return this.#cache.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#cache.get(key);
  }

  /** All objects, or those of one namespace. */
  list(namespace?: string): T[] {
    return this.#cache.list(namespace);
  }

  /** The objects that the named index function gave this value for; throws when there is no such index. */
  byIndex(name: string, value: string): T[] {
    return this.#cache.byIndex(name, value);
  }

  /** Calls the handler for what is there (as added) and for each change from now on; returns what ends that. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#cache.list()) this.#call(handler, { type: "added", object });
    return () => void this.#handlers.delete(handler);
  }

  /** Calls the handler after each full list, when its changes were handed over; returns what ends that. */
  onListed(handler: (reason: ListReason) => void): () => void {
    this.#listHandlers.add(handler);
    return () => void this.#listHandlers.delete(handler);
  }

  /**
   * Takes in an object as a write of ours was answered, before the watch brings it, so that the writer reads its own
   * writes. A write that may have followed on a version not seen here is left to the
   * watch, which also tells of that version.
   */
  observeWrite(object: T, basis: WriteBasis): void {
    // What the watch has passed it has told already; the object may even be deleted again.
    if (!this.#hasSynced || !isNewer(object.metadata.resourceVersion, this.#reflector.place)) return;
    const held = this.#cache.get(keyOf(object));
    const follows = held
      ? basis.kind === "version" && basis.resourceVersion === held.metadata.resourceVersion
      : basis.kind === "created" && this.#selects(object);
    if (follows) this.#tell(this.#cache.put(structuredClone(object)));
  }

  /** Whether a new object belongs here for sure; what a selector says is known to the API server only. */
  #selects(object: T): boolean {
    const { namespace, labelSelector, fieldSelector } = this.selection;
    if (labelSelector !== undefined || fieldSelector !== undefined) return false;
    return namespace === undefined || object.metadata.namespace === namespace;
  }

  #listed(items: T[], reason: ListReason, resourceVersion: string | undefined): void {
    const changes = this.#cache.replace(items, resourceVersion);
    this.#lastListedMs = this.#lastHeardMs = this.#deps.clock.monotonicMs();
    this.#hasSynced = true;
    this.#deps.metrics?.listed(this.resource.plural, reason);
    this.#tell(changes);
    for (const handler of this.#listHandlers) handler(reason);
    this.#firstList.resolve(undefined);
  }

  #tell(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      for (const handler of this.#handlers) this.#call(handler, change);
    }
  }

  /** One handler's bug must neither stop the watch nor keep the change from the others. */
  #call(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (err) {
      (this.#deps.log ?? silentLog).error({ err, resource: this.resource.plural }, "Change handler failed");
    }
  }

  #ended(error: unknown, failures: number): void {
    if (isAborted(error)) return;
    const { log = silentLog, metrics } = this.#deps;
    const resource = this.resource.plural;
    metrics?.watchEnded(resource, error === undefined ? "ended" : "failed");
    if (error === undefined) return;
    const data = { err: error, resource, failures };
    // Said once per outage, not once per attempt.
    if (failures === 3) log.warn(data, "Watch failed repeatedly, still trying");
    else log.debug(data, "Watch failed, trying again");
  }

  async #auditAgainAndAgain(signal: AbortSignal): Promise<void> {
    const { clock, random = Math.random, client, log = silentLog, metrics } = this.#deps;
    const everyMs = this.#options.auditEveryMs ?? 600_000;
    if (everyMs === 0) return;
    const audit = { client, clock, resource: this.resource, selection: this.selection, held: this.#cache };
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await sleep(clock, everyMs * (0.9 + random() / 5), signal);
      if (isOver() || !this.#hasSynced) continue;
      const missed = await auditDrift(audit, signal).catch(() => 0);
      if (missed === 0) continue;
      metrics?.drifted(this.resource.plural, missed);
      log.warn({ resource: this.resource.plural, missed }, "Watch had missed changes, listing anew");
      this.#reflector.relist();
    }
  }
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Selection): Selection {
  return { namespace, labelSelector, fieldSelector };
}
