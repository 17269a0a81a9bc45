import type { Clock } from "../../../src/lib/clock.ts";
import type { KubeObject, ObjectMeta, Resource } from "../../../src/lib/resource.ts";
import { apiVersionOf } from "../../../src/lib/resource.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { Selects } from "./selectors.ts";

/** What a watch is told. */
export interface StoredEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
}

/** One change, in the order of resource versions. */
export interface Change {
  version: number;
  plural: string;
  before: KubeObject | undefined;
  after: KubeObject | undefined;
}

/** Why a request is refused, as the API server's Status says it. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

type Listener = (change: Change) => void;

/** Objects of a cluster with their whole history: every request sees all that were carried out before it. */
export class Store {
  readonly #clock: Clock;
  readonly #random: SeededRandom;
  /** By plural, then by `namespace/name`. */
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #uids = new Set<string>();
  readonly #listeners = new Set<Listener>();
  readonly #listenersOf = new Map<string, Set<Listener>>();
  /** JSON of the objects that are or were stored. */
  readonly #texts = new Map<KubeObject, string>();
  readonly changes: Change[] = [];
  #version = 1_000;

  constructor(clock: Clock, random: SeededRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  get version(): number {
    return this.#version;
  }

  /** Called for each change, before those of {@link onChangeOf}. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Calls for changes of one plural alone; returns what ends that. */
  onChangeOf(plural: string, listener: Listener): () => void {
    const listeners = this.#listenersOf.get(plural) ?? new Set();
    this.#listenersOf.set(plural, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** The object as JSON. */
  textOf(object: KubeObject): string {
    return this.#texts.get(object) ?? JSON.stringify(object);
  }

  /** An event as a watch sends it. */
  lineOf({ type, object }: StoredEvent): Buffer {
    return Buffer.from(`{"type":"${type}","object":${this.textOf(object)}}\n`);
  }

  isLive(uid: string): boolean {
    return this.#uids.has(uid);
  }

  find(plural: string, key: string): KubeObject | undefined {
    return this.#objects.get(plural)?.get(key);
  }

  get(plural: string, key: string): KubeObject {
    const found = this.find(plural, key);
    if (!found) throw new Refused(404, "NotFound", `${plural} "${key}" not found`);
    return found;
  }

  list(plural: string, selects?: Selects): KubeObject[] {
    const objects = [...(this.#objects.get(plural)?.values() ?? [])];
    return selects ? objects.filter(selects) : objects;
  }

  create(resource: Resource<KubeObject>, object: KubeObject): KubeObject {
    const { metadata } = object;
    const name = metadata.name ?? `${metadata.generateName ?? ""}${this.#random.bytes(3).toString("hex")}`;
    const key = keyIn(metadata.namespace, name);
    if (this.find(resource.plural, key)) {
      throw new Refused(409, "AlreadyExists", `${resource.plural} "${key}" already exists`);
    }
    const stored: KubeObject = {
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...metadata, name, ...this.#born() },
    };
    return this.#store(resource.plural, undefined, stored);
  }

  /** Stores what `change` makes of an object, under the version that `basis` names; nothing where nothing changes. */
  update(
    plural: string,
    key: string,
    basis: ObjectMeta | undefined,
    change: (object: KubeObject) => KubeObject,
  ): KubeObject {
    const before = this.get(plural, key);
    if (basis?.uid !== undefined && basis.uid !== before.metadata.uid) throw conflict(plural, key);
    if (basis?.resourceVersion && basis.resourceVersion !== before.metadata.resourceVersion)
      throw conflict(plural, key);
    const after = change(before);
    const metadata = { ...after.metadata, ...unchangeable(before.metadata) };
    const next = { ...after, metadata };
    return JSON.stringify(next) === this.textOf(before) ? before : this.#store(plural, before, next);
  }

  /** Deletes an object, or marks it where something has to happen first, as with a pod that runs. */
  delete(plural: string, key: string, basis: ObjectMeta | undefined, isAtOnce: (object: KubeObject) => boolean): void {
    const before = this.get(plural, key);
    const { uid, resourceVersion } = basis ?? {};
    if (uid !== undefined && uid !== before.metadata.uid) throw conflict(plural, key);
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw conflict(plural, key);
    if (isAtOnce(before)) this.#store(plural, before, undefined);
    else if (before.metadata.deletionTimestamp === undefined) {
      const deletionTimestamp = second(this.#clock.now());
      this.#store(plural, before, { ...before, metadata: { ...before.metadata, deletionTimestamp } });
    }
  }

  #born(): Partial<ObjectMeta> {
    return { uid: this.#random.uuid(), creationTimestamp: second(this.#clock.now()), generation: 1 };
  }

  #store(plural: string, before: KubeObject | undefined, after: KubeObject | undefined): KubeObject {
    this.#version += 1;
    const version = String(this.#version);
    const objects = this.#objects.get(plural) ?? new Map<string, KubeObject>();
    this.#objects.set(plural, objects);
    const named = after ?? before;
    if (!named) throw new Error("a change is of an object");
    const stored = this.#frozen({ ...named, metadata: { ...named.metadata, resourceVersion: version } });
    const key = keyIn(named.metadata.namespace, named.metadata.name ?? "");
    if (after) objects.set(key, stored);
    else objects.delete(key);
    if (after) this.#uids.add(named.metadata.uid ?? "");
    else this.#uids.delete(named.metadata.uid ?? "");
    const change = { version: this.#version, plural, before, after: after && stored };
    // What was deleted is told with the version of its deletion.
    this.changes.push(after ? change : { ...change, before: stored });
    const told = this.changes.at(-1) ?? change;
    for (const listener of this.#listeners) listener(told);
    for (const listener of [...(this.#listenersOf.get(plural) ?? [])]) listener(told);
    return stored;
  }

  /** Through JSON, as on the wire: what is undefined is not there. */
  #frozen(object: KubeObject): KubeObject {
    const text = JSON.stringify(object);
    const frozen = JSON.parse(text) as KubeObject;
    this.#texts.set(frozen, text);
    return frozen;
  }
}

/** What a watch on a part of a collection is told of a change; undefined: nothing. */
export function eventOf({ before, after }: Change, selects: Selects): StoredEvent | undefined {
  const was = before !== undefined && selects(before);
  if (after !== undefined && selects(after)) return { type: was ? "MODIFIED" : "ADDED", object: after };
  if (!was) return undefined;
  const version = after?.metadata.resourceVersion ?? before.metadata.resourceVersion;
  return { type: "DELETED", object: { ...before, metadata: { ...before.metadata, resourceVersion: version } } };
}

export function keyIn(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

function conflict(plural: string, key: string): Refused {
  return new Refused(409, "Conflict", `${plural} "${key}" has been changed`);
}

function unchangeable(metadata: ObjectMeta): Partial<ObjectMeta> {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, resourceVersion } = metadata;
  return { name, namespace, uid, creationTimestamp, deletionTimestamp, resourceVersion };
}

function second(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
