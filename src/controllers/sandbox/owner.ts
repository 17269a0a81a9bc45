import { labels } from "../../api/v1alpha1/names.ts";
import { type Sandbox, Session, type SessionSpec, type SessionStatus } from "../../api/v1alpha1/session.ts";
import type { KubeObject, ObjectKey, ObjectMeta, Resource } from "../../lib/resource.ts";

/** What an owner's status keeps of its current or last attempt; owners may keep more beside it. */
export type AttemptRecord = Omit<Sandbox, "forPromptUID" | "replacement">;

/** A saved workspace that the next attempt begins with. */
export type SavedWorkspace = NonNullable<SessionStatus["snapshot"]>;

/** An object whose status holds a sandbox attempt. Nothing in this folder knows what its sandbox is for. */
export interface AttemptOwner {
  /** Its kind. */
  resource: Resource<KubeObject>;
  metadata: ObjectMeta;
  /** What its sandboxes are made of. */
  spec: Pick<SessionSpec, "target" | "sandboxClassName" | "serviceAccountName" | "agent">;
  record?: AttemptRecord | undefined;
  savedWorkspace?: SavedWorkspace | undefined;
}

/** A session as the owner of its attempts. */
export function sessionAsOwner({ metadata, spec, status }: Session): AttemptOwner {
  return { resource: Session, metadata, spec, record: status?.sandbox, savedWorkspace: status?.snapshot };
}

/** The label that holds an owner's UID. */
export function ownerUidLabel({ resource, metadata }: Pick<AttemptOwner, "resource" | "metadata">): {
  [name: string]: string;
} {
  return { [resource.kind === Session.kind ? labels.sessionUid : labels.ownerUid]: metadata.uid ?? "" };
}

/** Selects what carries {@link ownerUidLabel}. */
export function ownerSelector(owner: Pick<AttemptOwner, "resource" | "metadata">): string {
  return Object.entries(ownerUidLabel(owner))
    .map(([name, uid]) => `${name}=${uid}`)
    .join(",");
}

/** Labels of a pod that name its owner; people select a session's pods by them. */
export function ownerLabels({ resource, metadata }: Pick<AttemptOwner, "resource" | "metadata">): {
  [name: string]: string;
} {
  const { uid = "", name = "" } = metadata;
  if (resource.kind === Session.kind) return { [labels.sessionUid]: uid, [labels.sessionName]: name };
  return { [labels.ownerKind]: resource.kind, [labels.ownerUid]: uid, [labels.ownerName]: name };
}

/** Labels that name an owner on what lies in the sessions namespace, away from it. */
export function distantOwnerLabels(owner: Pick<AttemptOwner, "resource" | "metadata">): { [name: string]: string } {
  const { namespace = "" } = owner.metadata;
  const isSession = owner.resource.kind === Session.kind;
  return { ...ownerLabels(owner), [isSession ? labels.sessionNamespace : labels.ownerNamespace]: namespace };
}

/** The UID of the owner that an object's labels name. */
export function ownerUidOf({ labels: own }: ObjectMeta): string | undefined {
  return own?.[labels.sessionUid] ?? own?.[labels.ownerUid];
}

/** The owner of this kind that a pod, Lease or Secret names by its labels; none where it names one of another kind. */
export function ownerKeysOf(kind: string, { metadata }: Pick<KubeObject, "metadata">): ObjectKey[] {
  const own = metadata.labels ?? {};
  const isSessions = own[labels.ownerKind] === undefined;
  if (kind !== (isSessions ? Session.kind : own[labels.ownerKind])) return [];
  const name = own[isSessions ? labels.sessionName : labels.ownerName];
  // A pod lies in its owner's namespace and does not name it.
  const namespace = own[isSessions ? labels.sessionNamespace : labels.ownerNamespace] ?? metadata.namespace;
  return name === undefined || namespace === undefined ? [] : [{ namespace, name }];
}
