import type { KubeObject, Resource } from "../lib/resource.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to the end of the answer; the client's own default otherwise. */
  timeoutMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Judged in full by the API server and not stored. */
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  /** Asks for unknown and duplicate fields to be refused; the API server only warns otherwise. */
  strict?: boolean | undefined;
}

export interface Selection {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects a page, by default 500; all pages are read. */
  limit?: number | undefined;
  /** As the API server takes it: none = the newest, `0` = whatever its cache holds. */
  resourceVersion?: string | undefined;
  /** Reads `apiVersion`, `kind` and `metadata` alone. */
  metadataOnly?: boolean | undefined;
}

export interface ListShape<T> {
  /** Makes of each item what is worth keeping before the next page is read; may change it in place. */
  transform?: ((item: T) => T) | undefined;
}

export interface List<T> {
  items: T[];
  /** Of the moment that the list shows; where a watch goes on from. */
  resourceVersion: string;
}

export interface PatchOptions extends WriteOptions {
  /** JSON merge patch by default; `apply` is server-side apply and needs a field manager. */
  type?: "merge" | "json" | "strategic" | "apply" | undefined;
  subresource?: string | undefined;
  /** With `apply`: takes over fields that another manager owns. */
  force?: boolean | undefined;
}

export interface ReplaceOptions extends WriteOptions {
  subresource?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this UID, else 409. */
  uid?: string | undefined;
  /** Deletes only this version of the object, else 409. */
  resourceVersion?: string | undefined;
  propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  gracePeriodSeconds?: number | undefined;
  dryRun?: boolean | undefined;
}

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/** One finished request, for metrics. */
export interface RequestFacts {
  verb: Verb;
  resource: Resource<KubeObject>;
  subresource?: string | undefined;
  /** HTTP status; 0 = no answer. */
  status: number;
  durationMs: number;
}

/** What the stored object followed on: nothing, the version that the write named, or whatever was there. */
export type WriteBasis = { kind: "created" } | { kind: "version"; resourceVersion: string } | { kind: "any" };

/** What a client tells others of its work; each is optional and must not throw. */
export interface ClientHooks {
  /** Asked before each write; throws to forbid it, as a leader does whose lease ran out. */
  beforeWrite?: ((verb: Verb, resource: Resource<KubeObject>) => void) | undefined;
  /** Told of each object as the API server stored it. */
  afterWrite?: ((resource: Resource<KubeObject>, stored: KubeObject, basis: WriteBasis) => void) | undefined;
  afterRequest?: ((facts: RequestFacts) => void) | undefined;
}
