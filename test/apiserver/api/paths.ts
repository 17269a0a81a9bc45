import { apiVersion, type Kind } from "../../../src/api/v1alpha1/index.ts";

/** Path of all objects of a kind in a namespace; of all there are for one without namespaces. */
export function collectionPath(kind: Pick<Kind, "plural" | "namespaced">, namespace: string): string {
  return `/apis/${apiVersion}/${kind.namespaced ? `namespaces/${namespace}/` : ""}${kind.plural}`;
}
