import { annotations, labels } from "../api/v1alpha1/names.ts";
import type { KubeObject, OwnerReference } from "../lib/resource.ts";

/** Characters of a value that is kept; ours are far shorter, and a cut one is as wrong as the whole. */
const longestValue = 8_192;
const longestReferenceText = 512;
const mostReferences = 16;

const ownLabels: readonly string[] = Object.values(labels);
const ownAnnotations: readonly string[] = Object.values(annotations);

/**
 * Reduces the metadata of an object that people write to what we read, in place: they may add 256 KiB of annotations, and labels,
 * finalizers and references up to the size of an object. Objects reduced so are for reading and for patches that name what they
 * change, never for a replace.
 */
export function keepOwnMetadata<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  keep(metadata, "labels", ownLabels);
  keep(metadata, "annotations", ownAnnotations);
  delete metadata.generateName;
  delete metadata.finalizers;
  if (metadata.ownerReferences) {
    metadata.ownerReferences = metadata.ownerReferences.slice(0, mostReferences).map(shortened);
  }
  return object;
}

function keep(metadata: KubeObject["metadata"], field: "labels" | "annotations", names: readonly string[]): void {
  const given = metadata[field];
  if (!given) return;
  const kept = Object.entries(given).filter(([name]) => names.includes(name));
  metadata[field] = Object.fromEntries(kept.map(([name, value]) => [name, copied(value, longestValue)]));
}

function shortened({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): OwnerReference {
  const text = (value: string): string => copied(value, longestReferenceText);
  return {
    apiVersion: text(apiVersion),
    kind: text(kind),
    name: text(name),
    uid: text(uid),
    controller,
    blockOwnerDeletion,
  };
}

/** The beginning of a text without the rest, which a slice of it would keep in memory. */
function copied(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
}
