import { apiVersionOf, type KubeObject, type Resource } from "../../lib/resource.ts";
import type { CommandIo } from "../command.ts";
import type { Printable } from "./printable.ts";

/** `kind.group/name`, as in `kubectl -o name`. */
export function objectName({ kind, group }: Resource<KubeObject>, { metadata }: KubeObject): string {
  return `${kind.toLowerCase()}.${group}/${metadata.name ?? ""}`;
}

/** An object as it is printed: with kind and version, without managedFields. */
export function shownObject(resource: Resource<KubeObject>, object: KubeObject): object {
  const metadata = { ...object.metadata, managedFields: undefined };
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

/** One object for `-o json`, `yaml` and `name`. */
export function shownAs(resource: Resource<KubeObject>, object: KubeObject): Pick<Printable, "json" | "names"> {
  return { json: shownObject(resource, object), names: [objectName(resource, object)] };
}

/** A list for `-o json`, `yaml` and `name`. */
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

/** The newest objects in the order of their places, a text each; says on standard error how many there are beyond. */
export function newest<T>(
  objects: readonly T[],
  placeOf: (object: T) => string,
  { limit, io }: { limit: number; io: Pick<CommandIo, "note"> },
): readonly T[] {
  const left = objects.length - limit;
  if (left > 0) io.note(`${left} more; --limit ${objects.length} shows them`);
  return objects.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1)).slice(0, limit);
}
