import { apiVersionOf, type KubeObject, type Resource } from "../../lib/resource.ts";
import type { Printable } from "./printable.ts";

/** `kind.group/name`, as `kubectl -o name` says it. */
export function objectName({ kind, group }: Resource<KubeObject>, { metadata }: KubeObject): string {
  return `${kind.toLowerCase()}.${group}/${metadata.name ?? ""}`;
}

/** An object without what only the API server reads. */
export function shownObject(resource: Resource<KubeObject>, object: KubeObject): object {
  const metadata = { ...object.metadata, managedFields: undefined };
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

/** The forms of one object other than text. */
export function shownAs(resource: Resource<KubeObject>, object: KubeObject): Pick<Printable, "json" | "names"> {
  return { json: shownObject(resource, object), names: [objectName(resource, object)] };
}

/** The forms of a list other than text. */
export function listedAs<T extends KubeObject>(
  resource: Resource<T>,
  objects: readonly T[],
): Pick<Printable, "json" | "names"> {
  const items = objects.map((object) => shownObject(resource, object));
  return {
    json: { apiVersion: "v1", kind: "List", metadata: {}, items },
    names: objects.map((object) => objectName(resource, object)),
  };
}

/** The first of a sorted list, and a note about the others. */
export function firstOf<T>(list: readonly T[], limit: number): { shown: readonly T[]; note: string | undefined } {
  const shown = list.slice(0, limit);
  const left = list.length - shown.length;
  return { shown, note: left === 0 ? undefined : `${left} more; --limit ${list.length} shows them` };
}
