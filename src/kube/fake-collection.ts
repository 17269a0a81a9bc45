import { keyOf, keyText, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import type { List, ListOptions } from "./client-options.ts";
import { KubeError } from "./errors.ts";
import { isNewer } from "../lib/resource-version.ts";
import type { WatchEvent } from "./watch-events.ts";
import type { WatchOptions, WatchSink } from "./watch-stream.ts";

interface OpenWatch<T extends KubeObject> {
  sink: WatchSink<T>;
  end: (error?: Error) => void;
}

/** One collection in memory that lists and watches as the API server does and fails when a test says so. */
export class FakeCollection<T extends KubeObject> {
  /** Resource version that each watch began at. */
  readonly places: string[] = [];
  lists = 0;
  /** Events are lost from now on. */
  isDeaf = false;
  /** Events are kept back until {@link deliver}. */
  isSlow = false;
  readonly #objects = new Map<string, T>();
  readonly #history: WatchEvent<T>[] = [];
  readonly #watches = new Set<OpenWatch<T>>();
  readonly #keptBack: WatchEvent<T>[] = [];
  readonly #failures: Error[] = [];
  #version = 100;

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Creates or changes an object; returns it as stored. */
  put(object: T): T {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    this.#version += 1;
    const metadata = {
      uid: `uid-${this.#version}`,
      ...old?.metadata,
      ...object.metadata,
      resourceVersion: `${this.#version}`,
    };
    const stored = structuredClone({ ...object, metadata });
    this.#objects.set(key, stored);
    this.#tell({ type: old ? "MODIFIED" : "ADDED", object: stored });
    return structuredClone(stored);
  }

  remove(key: ObjectKey): void {
    const object = this.#objects.get(keyText(key));
    if (!object) return;
    this.#objects.delete(keyText(key));
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: `${this.#version}` };
    this.#tell({ type: "DELETED", object: { ...object, metadata } });
  }

  bookmark(): void {
    this.#version += 1;
    this.#tell({ type: "BOOKMARK", object: { metadata: { resourceVersion: `${this.#version}` } } as T });
  }

  /** Sends what was kept back. */
  deliver(): void {
    this.isSlow = false;
    for (const event of this.#keptBack.splice(0)) this.#tell(event);
  }

  /** The next lists or watches fail, one after the other. */
  failNext(...failures: Error[]): void {
    this.#failures.push(...failures);
  }

  /** Ends every open watch, regularly or with an error. */
  endWatches(error?: Error): void {
    for (const watch of [...this.#watches]) watch.end(error);
  }

  /** The server was restored from a backup that is older than what its clients have seen. */
  setBack(version: number): void {
    this.#version = version;
    this.#history.length = 0;
    for (const [key, object] of [...this.#objects]) {
      const metadata = { ...object.metadata, resourceVersion: `${version}` };
      this.#objects.set(key, { ...object, metadata });
    }
  }

  list<Item extends KubeObject>(_resource: Resource<Item>, _options: ListOptions = {}): Promise<List<Item>> {
    this.lists += 1;
    const failure = this.#failures.shift();
    if (failure) return Promise.reject(failure);
    // The one kind that a test keeps here is the kind that it asks for.
    const items = structuredClone([...this.#objects.values()]) as unknown as Item[];
    return Promise.resolve({ items, resourceVersion: `${this.#version}` });
  }

  watch<Item extends KubeObject>(
    _resource: Resource<Item>,
    options: WatchOptions,
    sink: WatchSink<Item>,
  ): Promise<void> {
    const failure = this.#failures.shift();
    if (failure) return Promise.reject(failure);
    this.places.push(options.resourceVersion);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const watch: OpenWatch<T> = {
      sink: sink as unknown as WatchSink<T>,
      end: (error) => {
        this.#watches.delete(watch);
        options.signal?.removeEventListener("abort", abort);
        if (error) reject(error);
        else resolve(undefined);
      },
    };
    const abort = (): void => watch.end(new KubeError({ message: "", status: 0, reason: "Aborted", delivery: "lost" }));
    options.signal?.addEventListener("abort", abort, { once: true });
    this.#watches.add(watch);
    for (const event of this.#history) {
      if (isNewer(event.object.metadata.resourceVersion, options.resourceVersion)) this.#send(watch, event);
    }
    return promise;
  }

  #tell(event: WatchEvent<T>): void {
    if (this.isDeaf) return;
    if (this.isSlow) {
      this.#keptBack.push(event);
      return;
    }
    this.#history.push(event);
    for (const watch of this.#watches) this.#send(watch, event);
  }

  #send(watch: OpenWatch<T>, event: WatchEvent<T>): void {
    watch.sink(structuredClone(event));
  }
}
