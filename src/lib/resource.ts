/** A reference from a dependent object to its owner. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

/** Metadata of every Kubernetes object as JSON: instants are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  /** Caches drop it. */
  managedFields?: unknown[] | undefined;
}

/** The minimum of a stored object; {@link KubeClient} fills in `apiVersion` and `kind` where they are missing. */
export interface KubeObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** Where objects of one kind live on the API server; `T` is their type. */
export interface Resource<T extends KubeObject> {
  /** Empty for the core group. */
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  /** Only for the type checker; never set. */
  readonly type?: T;
}

/** Names one object of a known kind; cluster-scoped ones have no namespace. */
export interface ObjectKey {
  namespace?: string | undefined;
  name: string;
}

/** `v1` for the core group, `group/version` for all others. */
export function apiVersionOf(resource: Pick<Resource<KubeObject>, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** The key of an object that has a name. */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace ? { namespace, name: name ?? "" } : { name: name ?? "" };
}

/** `namespace/name`, or `name` alone: the form that maps and log lines use. */
export function keyText(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

/** Undoes {@link keyText}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * An owner reference to a stored object; throws when it has no UID yet. Without `blockOwnerDeletion`, which admission
 * may refuse to accounts that may not delete the owner.
 */
export function ownerReferenceTo(resource: Resource<KubeObject>, owner: KubeObject, controller = true): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid) throw new Error(`${resource.kind} has no name or UID and so cannot own anything`);
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, ...(controller ? { controller } : {}) };
}

/** Whether both name the same object, in whatever version; another API group may have a kind of the same name. */
export function isSameOwner(left: OwnerReference, right: OwnerReference): boolean {
  return left.uid === right.uid && left.kind === right.kind && groupOf(left) === groupOf(right);
}

/** Empty for the core group. */
function groupOf({ apiVersion }: OwnerReference): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
