import type { KubeObject, Resource } from "../lib/resource.ts";
import type { PolicyRefusal } from "./policy-refusal.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to the end of the answer; the client's own default otherwise. */
  timeoutMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** The API server validates the write in full and does not store it. */
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  /** The API server refuses unknown and duplicate fields instead of warning. */
  strict?: boolean | undefined;
}

export interface Selection {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects per page, by default 500; all pages are read. */
  limit?: number | undefined;
  /** As in the Kubernetes API: none = the newest, `0` = any that the server's cache has. */
  resourceVersion?: string | undefined;
  /** Reads `apiVersion`, `kind` and `metadata` alone. */
  metadataOnly?: boolean | undefined;
}

export interface ListShape<T> {
  /** Reduces each item before the next page is read; may change it in place. */
  transform?: ((item: T) => T) | undefined;
}

export interface List<T> {
  items: T[];
  /** Of the whole list; a watch continues from it. */
  resourceVersion: string;
}

export interface SubresourceOptions extends WriteOptions {
  subresource?: string | undefined;
}

export interface PatchOptions extends SubresourceOptions {
  /** JSON merge patch by default; `apply` is server-side apply and needs a field manager. */
  type?: "merge" | "json" | "strategic" | "apply" | undefined;
  /** With `apply`: takes over fields that another manager owns. */
  force?: boolean | undefined;
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

/** What a write replaced: nothing, the version that it named, or any version. */
export type WriteBasis = { kind: "created" } | { kind: "version"; resourceVersion: string } | { kind: "any" };

/** Callbacks of a client; all are optional, and only `beforeWrite` may throw. */
export interface ClientHooks {
  /** Called before each write; throws to prevent it, as a former leader does. */
  beforeWrite?: ((verb: Verb, resource: Resource<KubeObject>) => void) | undefined;
  /** Called with each object as the API server stored it. */
  afterWrite?: ((resource: Resource<KubeObject>, stored: KubeObject, basis: WriteBasis) => void) | undefined;
  afterRequest?: ((facts: RequestFacts) => void) | undefined;
  /** Called with each refusal of a write by an admission policy. */
  refusedByPolicy?: ((refusal: PolicyRefusal, resource: Resource<KubeObject>) => void) | undefined;
}
