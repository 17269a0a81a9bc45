import { keyOf, keyText, type KubeObject, type ObjectKey } from "../lib/resource.ts";
import { isNewer } from "../lib/resource-version.ts";

/** What happened to one object of a cache. */
export type Change<T extends KubeObject> =
  | { type: "added"; object: T; old?: undefined }
  | { type: "updated"; object: T; old: T }
  /** `object` is the last state that was seen. */
  | { type: "deleted"; object: T; old: T };

export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export interface CacheOptions<T extends KubeObject> {
  /** Reduces an object before it is cached; may change it in place, and must be idempotent. */
  transform?: ((object: T) => T) | undefined;
  indexes?: Indexes<T> | undefined;
}

const namespaceIndex = "namespace";

/** Reduces an object to what is cached; changes it in place. */
export function keptOf<T extends KubeObject>(object: T, { transform }: CacheOptions<T>): T {
  delete object.metadata.managedFields;
  return transform ? transform(object) : object;
}

/** Frozen objects by key, with indexes that are kept up to date. It takes no step back in an object's versions. */
export class Cache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #options: CacheOptions<T>;
  readonly #indexers: Indexes<T>;
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(options: CacheOptions<T> = {}) {
    this.#options = options;
    this.#indexers = { ...options.indexes, [namespaceIndex]: (object) => [object.metadata.namespace ?? ""] };
    for (const name of Object.keys(this.#indexers)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key));
  }

  /** All objects, or those of one namespace. */
  list(namespace?: string): T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.byIndex(namespaceIndex, namespace);
  }

  /** The objects that the named index function gave this value for; throws when there is no such index. */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index "${name}"`);
    return [...(index.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Caches an object unless it is no newer than the cached one. */
  put(object: T): Change<T>[] {
    const old = this.get(keyOf(object));
    if (old && !isNewer(object.metadata.resourceVersion, old.metadata.resourceVersion)) return [];
    return this.#store(object, old);
  }

  /** Drops an object unless the cached one is newer than its deletion. */
  drop(object: T): Change<T>[] {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    if (!old || isNewer(old.metadata.resourceVersion, object.metadata.resourceVersion)) return [];
    return this.#remove(key, old);
  }

  /**
   * Makes the cache, or one namespace's part of it, equal to a list as of `resourceVersion`, but for objects that were
   * stored after it. Without a resource version the list always wins, as it must when the server's own history was set back.
   */
  replace(items: readonly T[], resourceVersion?: string, namespace?: string): Change<T>[] {
    const listed = new Set(items.map((item) => keyText(keyOf(item))));
    const isLater = (object: T): boolean =>
      resourceVersion !== undefined && isNewer(object.metadata.resourceVersion, resourceVersion);
    const held = this.list(namespace).map((object) => [keyText(keyOf(object)), object] as const);
    const gone = held.filter(([key, object]) => !listed.has(key) && !isLater(object));
    const taken = items.flatMap((item) => {
      const old = this.get(keyOf(item));
      if (old && (isLater(old) || old.metadata.resourceVersion === item.metadata.resourceVersion)) return [];
      return this.#store(item, old);
    });
    return [...gone.flatMap(([key, object]) => this.#remove(key, object)), ...taken];
  }

  #store(object: T, old: T | undefined): Change<T>[] {
    const key = keyText(keyOf(object));
    const kept = deepFreeze(keptOf(object, this.#options));
    if (old) this.#unindex(key, old);
    this.#objects.set(key, kept);
    this.#index(key, kept);
    if (!old) return [{ type: "added", object: kept }];
    if (old.metadata.uid === kept.metadata.uid) return [{ type: "updated", object: kept, old }];
    // Deleted and made again under its name between two looks.
    return [
      { type: "deleted", object: old, old },
      { type: "added", object: kept },
    ];
  }

  #remove(key: string, old: T): Change<T>[] {
    this.#unindex(key, old);
    this.#objects.delete(key);
    return [{ type: "deleted", object: old, old }];
  }

  #index(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexers[name]?.(object) ?? []) {
        const keys = index.get(value);
        if (keys) keys.add(key);
        else index.set(value, new Set([key]));
      }
    }
  }

  #unindex(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexers[name]?.(object) ?? []) {
        const keys = index.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index.delete(value);
      }
    }
  }
}

/** Freezes a JSON value recursively, so that sharing it is safe; returns it. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
