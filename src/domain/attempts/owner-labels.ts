import { labels } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeObject, ObjectKey, ObjectMeta } from "../../lib/resource.ts";

/** The owner of sandbox attempts, as labels name it. */
export interface LabelledOwner {
  resource: { kind: string };
  metadata: ObjectMeta;
}

/** Labels that name a Session; people select its pods by them. */
const sessionLabels = { uid: labels.sessionUid, name: labels.sessionName, namespace: labels.sessionNamespace };
/** Labels that name an owner of another kind, beside the one with its kind. */
const otherLabels = { uid: labels.ownerUid, name: labels.ownerName, namespace: labels.ownerNamespace };
const all: readonly string[] = [labels.ownerKind, ...Object.values(sessionLabels), ...Object.values(otherLabels)];

function labelsOf(kind: string): typeof sessionLabels | typeof otherLabels {
  return kind === Session.kind ? sessionLabels : otherLabels;
}

/** The label that holds an owner's UID. */
export function ownerUidLabel({ resource, metadata }: LabelledOwner): Record<string, string> {
  return { [labelsOf(resource.kind).uid]: metadata.uid ?? "" };
}

/** Labels of a pod that name its owner. */
export function ownerLabels(owner: LabelledOwner): Record<string, string> {
  const { kind } = owner.resource;
  const named = { [labelsOf(kind).name]: owner.metadata.name ?? "" };
  return { ...ownerUidLabel(owner), ...(kind === Session.kind ? {} : { [labels.ownerKind]: kind }), ...named };
}

/** Labels that name an owner on what lies in the sessions namespace, away from it. */
export function distantOwnerLabels(owner: LabelledOwner): Record<string, string> {
  return { ...ownerLabels(owner), [labelsOf(owner.resource.kind).namespace]: owner.metadata.namespace ?? "" };
}

/** Those of an object's labels that name an owner. */
export function ownerLabelsIn({ labels: own = {} }: ObjectMeta): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([name]) => all.includes(name)));
}

/** The UID of the owner that an object's labels name. */
export function ownerUidOf({ labels: own }: ObjectMeta): string | undefined {
  return own?.[labels.sessionUid] ?? own?.[labels.ownerUid];
}

/** The owner of this kind that a pod, Lease or Secret names by its labels; none where it names one of another kind. */
export function ownerKeysOf(kind: string, { metadata }: Pick<KubeObject, "metadata">): ObjectKey[] {
  const own = metadata.labels ?? {};
  if (kind !== (own[labels.ownerKind] ?? Session.kind)) return [];
  const by = own[labels.ownerKind] === undefined ? sessionLabels : otherLabels;
  const name = own[by.name];
  // A pod lies in its owner's namespace and does not name it.
  const namespace = own[by.namespace] ?? metadata.namespace;
  return name === undefined || namespace === undefined ? [] : [{ namespace, name }];
}
