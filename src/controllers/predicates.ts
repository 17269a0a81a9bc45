import type { Change } from "../kube/cache.ts";
import type { KubeObject } from "../lib/resource.ts";

/** The object came, went, or has another spec. */
export function isSpecChange({ type, object, old }: Change<KubeObject>): boolean {
  return type !== "updated" || object.metadata.generation !== old.metadata.generation;
}

export function isDeleted({ type }: Change<KubeObject>): boolean {
  return type === "deleted";
}
