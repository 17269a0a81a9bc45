import { labels } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeObject, ObjectKey, ObjectMeta } from "../../lib/resource.ts";

/** The owner of sandbox attempts, as labels name it. */
export interface LabelledOwner {
  resource: { kind: string };
  metadata: ObjectMeta;
}

/** The label that holds an owner's UID. */
export function ownerUidLabel({ resource, metadata }: LabelledOwner): Record<string, string> {
  return { [isSession(resource.kind) ? labels.sessionUid : labels.ownerUid]: metadata.uid ?? "" };
}

/** Labels of a pod that name its owner; people select a session's pods by them. */
export function ownerLabels(owner: LabelledOwner): Record<string, string> {
  const { name = "" } = owner.metadata;
  const { kind } = owner.resource;
  const named = isSession(kind)
    ? { [labels.sessionName]: name }
    : { [labels.ownerKind]: kind, [labels.ownerName]: name };
  return { ...ownerUidLabel(owner), ...named };
}

/** Labels that name an owner on what lies in the sessions namespace, away from it. */
export function distantOwnerLabels(owner: LabelledOwner): Record<string, string> {
  const { namespace = "" } = owner.metadata;
  const label = isSession(owner.resource.kind) ? labels.sessionNamespace : labels.ownerNamespace;
  return { ...ownerLabels(owner), [label]: namespace };
}

const names: readonly string[] = [
  labels.sessionUid,
  labels.sessionName,
  labels.sessionNamespace,
  labels.ownerKind,
  labels.ownerUid,
  labels.ownerName,
  labels.ownerNamespace,
];

/** Those of an object's labels that name an owner. */
export function ownerLabelsIn({ labels: own = {} }: ObjectMeta): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([name]) => names.includes(name)));
}

/** The UID of the owner that an object's labels name. */
export function ownerUidOf({ labels: own }: ObjectMeta): string | undefined {
  return own?.[labels.sessionUid] ?? own?.[labels.ownerUid];
}

/** The owner of this kind that a pod, Lease or Secret names by its labels; none where it names one of another kind. */
export function ownerKeysOf(kind: string, { metadata }: Pick<KubeObject, "metadata">): ObjectKey[] {
  const own = metadata.labels ?? {};
  const ofSession = own[labels.ownerKind] === undefined;
  if (kind !== (ofSession ? Session.kind : own[labels.ownerKind])) return [];
  const name = own[ofSession ? labels.sessionName : labels.ownerName];
  // A pod lies in its owner's namespace and does not name it.
  const namespace = own[ofSession ? labels.sessionNamespace : labels.ownerNamespace] ?? metadata.namespace;
  return name === undefined || namespace === undefined ? [] : [{ namespace, name }];
}

function isSession(kind: string): boolean {
  return kind === Session.kind;
}
