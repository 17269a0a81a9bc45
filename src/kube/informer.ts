import { keyOf, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import { Cache, type CacheOptions, type Change } from "./cache.ts";
import type { Selection, WriteBasis } from "./client-options.ts";
import { Feed, type FeedDeps, type FeedOptions } from "./feed.ts";
import { silentLog } from "./ports.ts";
import type { ListReason } from "./reflector.ts";
import { isNewer } from "./resource-version.ts";

export type InformerDeps = FeedDeps;

export interface InformerOptions<T extends KubeObject>
  extends Selection, CacheOptions<T>, Pick<FeedOptions<T>, "idleTimeoutMs" | "auditEveryMs"> {
  /** Follows these namespaces alone, each by a list and watch of its own; none = what the rest selects. */
  namespaces?: readonly string[] | undefined;
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
  readonly #cache: Cache<T>;
  readonly #feeds: readonly Feed<T>[];
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #listHandlers = new Set<(reason: ListReason) => void>();
  readonly #stop = new AbortController();
  readonly #firstList = Promise.withResolvers<undefined>();
  #running: Promise<unknown> | undefined;

  constructor(deps: InformerDeps, resource: Resource<T>, options: InformerOptions<T> = {}) {
    this.resource = resource;
    this.selection = selectionOf(options);
    this.#deps = deps;
    this.#cache = new Cache(options);
    const sink = {
      changed: (changes: readonly Change<T>[]) => this.#tell(changes),
      listed: (reason: ListReason) => this.#listed(reason),
    };
    this.#feeds = partsOf(this.selection, options.namespaces).map(
      (selection) => new Feed(deps, { ...options, resource, selection, cache: this.#cache }, sink),
    );
  }

  /** Begins to follow the collection; a second call does nothing. */
  start(): void {
    this.#running ??= Promise.all(this.#feeds.map((feed) => feed.run(this.#stop.signal)));
  }

  /** Ends watch and timers; resolves when nothing is under way any more. The cache stays readable. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The collection was read whole at least once. */
  get hasSynced(): boolean {
    return this.#feeds.every((feed) => feed.hasSynced);
  }

  /** Resolves once {@link hasSynced}. */
  async synced(): Promise<void> {
    await this.#firstList.promise;
  }

  /** Monotonic milliseconds of the last full list: what was counted by events may have begun anew. */
  get lastListedMs(): number | undefined {
    return this.#extreme(Math.max, ({ lastListedMs }) => lastListedMs);
  }

  /** Monotonic milliseconds up to which the API server was heard on all of this collection. */
  get lastHeardMs(): number | undefined {
    return this.#extreme(Math.min, ({ lastHeardMs }) => lastHeardMs);
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
    const feed = this.#feeds.find((candidate) => candidate.covers(object.metadata.namespace));
    if (!feed?.hasSynced || !isNewer(object.metadata.resourceVersion, feed.place)) return;
    const held = this.#cache.get(keyOf(object));
    const follows = held
      ? basis.kind === "version" && basis.resourceVersion === held.metadata.resourceVersion
      : basis.kind === "created" && this.#selectsNew();
    if (follows) this.#tell(this.#cache.put(structuredClone(object)));
  }

  /** Whether a new object belongs here for sure; what a selector says is known to the API server only. */
  #selectsNew(): boolean {
    return this.selection.labelSelector === undefined && this.selection.fieldSelector === undefined;
  }

  #extreme(
    choose: (...values: number[]) => number,
    instantOf: (feed: Feed<T>) => number | undefined,
  ): number | undefined {
    const known = this.#feeds.map(instantOf).filter((instant) => instant !== undefined);
    return known.length === this.#feeds.length ? choose(...known) : undefined;
  }

  #listed(reason: ListReason): void {
    for (const handler of this.#listHandlers) handler(reason);
    if (this.hasSynced) this.#firstList.resolve(undefined);
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
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Selection): Selection {
  return { namespace, labelSelector, fieldSelector };
}

/** One selection for each namespace. */
function partsOf(selection: Selection, namespaces: readonly string[] = []): Selection[] {
  return namespaces.length === 0 ? [selection] : namespaces.map((namespace) => ({ ...selection, namespace }));
}
