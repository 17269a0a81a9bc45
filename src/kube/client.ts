import type { Clock } from "../lib/clock.ts";
import { isPlainObject } from "../lib/json-equal.ts";
import { apiVersionOf, keyOf, keyText, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import { apiPath, type Query } from "./api-path.ts";
import { Caller } from "./caller.ts";
import type {
  CallOptions,
  ClientHooks,
  DeleteOptions,
  List,
  ListOptions,
  ListShape,
  PatchOptions,
  SubresourceOptions,
  Verb,
  WriteBasis,
  WriteOptions,
} from "./client-options.ts";
import { isNotFound } from "./errors.ts";
import { listPages } from "./list-pages.ts";
import { mergePatch } from "./merge-patch.ts";
import type { Method, RequestLimits, Transport } from "./transport.ts";
import { watchStream, type WatchOptions, type WatchSink } from "./watch-stream.ts";

export interface KubeClientOptions {
  transport: Transport;
  clock: Clock;
  /** Field manager of writes. */
  fieldManager?: string | undefined;
  /** Default timeout of calls, in milliseconds; 10,000 without it. */
  timeoutMs?: number | undefined;
  /** Called in this order. */
  hooks?: readonly ClientHooks[] | undefined;
}

/** Asks for an object's metadata in place of the object. */
const metadataOnlyType = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

interface Write {
  verb: Verb;
  method: Method;
  key: ObjectKey;
  /** Creates go to the collection, all else to the object. */
  toCollection?: boolean;
  subresource?: string | undefined;
  body: unknown;
  contentType?: string;
  query?: Query;
}

/** Typed access to one API server. Every failure is a KubeError; only reads on a broken connection are repeated. */
export class KubeClient {
  readonly #options: KubeClientOptions;
  readonly #hooks: readonly ClientHooks[];
  readonly #caller: Caller;
  readonly #timeoutMs: number;

  constructor(options: KubeClientOptions) {
    const { transport, clock, hooks = [], timeoutMs = 10_000 } = options;
    this.#options = options;
    this.#hooks = hooks;
    this.#caller = new Caller({ transport, clock, hooks });
    this.#timeoutMs = timeoutMs;
  }

  /** The same client that also calls these hooks, after those it has. */
  withHooks(hooks: ClientHooks): KubeClient {
    return new KubeClient({ ...this.#options, hooks: [...this.#hooks, hooks] });
  }

  /** Reads one object; throws when it is not there. */
  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: CallOptions = {}): Promise<T> {
    const call = { verb: "get" as const, resource, target: keyText(key) };
    return (await this.#caller.read(call, { method: "GET", path: apiPath(resource, key) }, this.#limits(options))) as T;
  }

  /** Reads one object; undefined when there is none. */
  async find<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: CallOptions = {},
  ): Promise<T | undefined> {
    return unlessMissing(this.get(resource, key, options), undefined);
  }

  /** Whether there is an object of this name; reads its metadata alone. */
  async exists(resource: Resource<KubeObject>, key: ObjectKey, options: CallOptions = {}): Promise<boolean> {
    const call = { verb: "get" as const, resource, target: keyText(key) };
    const request = { method: "GET" as const, path: apiPath(resource, key), headers: { accept: metadataOnlyType } };
    return unlessMissing(
      this.#caller.read(call, request, this.#limits(options)).then(() => true),
      false,
    );
  }

  /**
   * Reads all pages of a collection in one consistent state. When the server drops that state in between (410), it starts
   * again, at most three times.
   */
  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions & ListShape<T> = {}): Promise<List<T>> {
    return listPages(this.#caller, resource, { ...options, timeoutMs: options.timeoutMs ?? 3 * this.#timeoutMs });
  }

  /** Follows a collection until the server ends the stream; throws a 410 when `resourceVersion` is too old. */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Promise<void> {
    return watchStream(this.#caller, resource, { ...options, timeoutMs: options.timeoutMs ?? this.#timeoutMs }, sink);
  }

  /** Stores a new object and returns it as stored. */
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write<T>(resource, creationOf(resource, object), options);
  }

  /**
   * Stores a new object without reading it back: the API server answers with its metadata alone, which costs both sides
   * less. The hooks get no stored object.
   */
  async store<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<void> {
    await this.#send(resource, creationOf(resource, object), { ...options, accept: metadataOnlyType });
  }

  /** Posts to a subresource such as a ServiceAccount's `token`; returns what the server made of the body. */
  createSubresource<Body extends KubeObject>(
    resource: Resource<KubeObject>,
    key: ObjectKey,
    { subresource, body }: { subresource: string; body: Body },
    options: WriteOptions = {},
  ): Promise<Body> {
    return this.#write<Body>(resource, { verb: "create", method: "POST", key, subresource, body }, options);
  }

  /** Replaces the object; 409 unless it is still of the resource version that it names. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options: SubresourceOptions = {}): Promise<T> {
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    const { subresource } = options;
    return this.#write<T>(resource, { verb: "update", method: "PUT", key: keyOf(object), subresource, body }, options);
  }

  /** Changes the object by a patch; a `metadata.resourceVersion` in a merge patch makes it conditional. */
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    body: object,
    options: PatchOptions = {},
  ): Promise<T> {
    const { type = "merge", subresource, force } = options;
    const contentType = patchTypes[type];
    const write: Write = { verb: "patch", method: "PATCH", key, subresource, body, contentType, query: { force } };
    return this.#write<T>(resource, write, options);
  }

  /**
   * Writes a status by merge patch under the resource version of the object that was decided on: 409 when it has
   * changed since. Writes nothing and returns the object when the status is equal.
   */
  async patchStatus<T extends KubeObject & { status?: object | undefined }>(
    resource: Resource<T>,
    object: T,
    status: NonNullable<T["status"]>,
    options: WriteOptions = {},
  ): Promise<T> {
    const patch = mergePatch(object.status, status);
    if (!patch) return object;
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: patch };
    return this.patch(resource, keyOf(object), body, { ...options, subresource: "status" });
  }

  /** Deletes the object under the given preconditions; false when it was not there. */
  async delete(resource: Resource<KubeObject>, key: ObjectKey, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid, resourceVersion },
      propagationPolicy,
      gracePeriodSeconds,
    };
    const call = { verb: "delete" as const, resource, target: keyText(key) };
    const request = requestOf("DELETE", apiPath(resource, key, { dryRun: dryRun ? "All" : undefined }), body);
    return unlessMissing(
      this.#caller.write(call, request, this.#limits(options)).then(() => true),
      false,
    );
  }

  async #write<T extends KubeObject>(resource: Resource<KubeObject>, write: Write, options: WriteOptions): Promise<T> {
    const stored = (await this.#send(resource, write, options)) as T;
    if (!options.dryRun && write.subresource !== "token") {
      const basis: WriteBasis = write.toCollection ? { kind: "created" } : basisOf(write.body);
      for (const hooks of this.#hooks) hooks.afterWrite?.(resource, stored, basis);
    }
    return stored;
  }

  /** Sends a write and returns the answer's JSON; `accept` asks for another form of it. */
  #send(resource: Resource<KubeObject>, write: Write, options: WriteOptions & { accept?: string }): Promise<unknown> {
    const { verb, method, key, subresource, body, contentType } = write;
    const query = {
      ...write.query,
      dryRun: options.dryRun ? "All" : undefined,
      fieldManager: options.fieldManager ?? this.#options.fieldManager,
      fieldValidation: options.strict ? "Strict" : undefined,
    };
    const place = write.toCollection ? { namespace: key.namespace } : { ...key, subresource };
    const request = requestOf(method, apiPath(resource, place, query), body, contentType);
    if (options.accept !== undefined) request.headers.accept = options.accept;
    return this.#caller.write({ verb, resource, target: keyText(key), subresource }, request, this.#limits(options));
  }

  #limits(options: CallOptions): RequestLimits {
    return { signal: options.signal, timeoutMs: options.timeoutMs ?? this.#timeoutMs };
  }
}

function creationOf<T extends KubeObject>(resource: Resource<T>, object: T): Write {
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
  return { verb: "create", method: "POST", key: keyOf(object), toCollection: true, body };
}

function requestOf(
  method: Method,
  path: string,
  body: unknown,
  contentType = "application/json",
): { method: Method; path: string; headers: Record<string, string>; body: string } {
  return { method, path, headers: { "content-type": contentType }, body: JSON.stringify(body) };
}

/** A replace or patch that names a resource version was stored on top of that version only. */
function basisOf(body: unknown): WriteBasis {
  const metadata = isPlainObject(body) && isPlainObject(body.metadata) ? body.metadata : {};
  const { resourceVersion } = metadata;
  return typeof resourceVersion === "string" ? { kind: "version", resourceVersion } : { kind: "any" };
}

/** The answer, or `missing` where the API server says that there is no such object. */
async function unlessMissing<T, M>(answer: Promise<T>, missing: M): Promise<T | M> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return missing;
    throw error;
  }
}
