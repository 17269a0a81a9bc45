import { keyOf, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import { Cache, type CacheOptions, type Change } from "./cache.ts";
import type { Selection, WriteBasis } from "./client-options.ts";
import { Feed, type FeedDeps, type FeedOptions } from "./feed.ts";
import { silentLog } from "./ports.ts";
import type { ListReason } from "./reflector.ts";
import { isNewer } from "../lib/resource-version.ts";

export type InformerDeps = FeedDeps;

export interface InformerOptions<T extends KubeObject>
  extends Selection, CacheOptions<T>, Pick<FeedOptions<T>, "idleTimeoutMs" | "auditEveryMs"> {
  /** Limits it to these namespaces, each with its own list and watch; none = no limit. */
  namespaces?: readonly string[] | undefined;
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

/**
 * A cache of one collection, kept up to date by list and watch through all faults. It may lag behind, but never shows an
 * older version of an object than before. Objects are frozen.
 */
export class Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** The part of the collection that it caches. */
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
    const { namespace, labelSelector, fieldSelector } = options;
    this.selection = { namespace, labelSelector, fieldSelector };
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

  /** Starts to list and watch; a second call does nothing. */
  start(): void {
    this.#running ??= Promise.all(this.#feeds.map((feed) => feed.run(this.#stop.signal)));
  }

  /** Stops watches and timers and waits for them. The cache stays readable. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Whether the whole collection was listed at least once. */
  get hasSynced(): boolean {
    return this.#feeds.every((feed) => feed.hasSynced);
  }

  /**
   * Resource version up to which all changes were delivered to the handlers; with several namespaces that of the one
   * furthest behind. Undefined until {@link hasSynced}.
   */
  get place(): string | undefined {
    if (!this.hasSynced) return undefined;
    return this.#feeds.map(({ place }) => place).reduce((first, place) => (isNewer(first, place) ? place : first));
  }

  /** Resolves once {@link hasSynced}. */
  async synced(): Promise<void> {
    await this.#firstList.promise;
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

  /** Calls the handler for each cached object (as added) and each later change; returns the unsubscribe function. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#cache.list()) this.#call(handler, { type: "added", object });
    return () => void this.#handlers.delete(handler);
  }

  /** Calls the handler after each full list and its changes; returns the unsubscribe function. */
  onListed(handler: (reason: ListReason) => void): () => void {
    this.#listHandlers.add(handler);
    return () => void this.#listHandlers.delete(handler);
  }

  /**
   * Caches the answer of our own write before the watch delivers it, so that the writer reads its own writes. A write
   * that may have replaced a version unknown to the cache is left to the watch, which delivers that version too.
   */
  observeWrite(object: T, basis: WriteBasis): void {
    // The watch is past this version already; the object may even be deleted again.
    const feed = this.#feeds.find((candidate) => candidate.covers(object.metadata.namespace));
    if (!feed?.hasSynced || !isNewer(object.metadata.resourceVersion, feed.place)) return;
    const held = this.#cache.get(keyOf(object));
    const follows = held
      ? basis.kind === "version" && basis.resourceVersion === held.metadata.resourceVersion
      : basis.kind === "created" && this.#selectsNew();
    if (follows) this.#tell(this.#cache.put(structuredClone(object)));
  }

  /** Whether every new object belongs here; only the API server evaluates selectors. */
  #selectsNew(): boolean {
    return this.selection.labelSelector === undefined && this.selection.fieldSelector === undefined;
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

  /** An exception of one handler must neither stop the watch nor skip the other handlers. */
  #call(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (err) {
      (this.#deps.log ?? silentLog).error({ err, resource: this.resource.plural }, "Change handler failed");
    }
  }
}

/** One selection for each namespace. */
function partsOf(selection: Selection, namespaces: readonly string[] = []): Selection[] {
  return namespaces.length === 0 ? [selection] : namespaces.map((namespace) => ({ ...selection, namespace }));
}
