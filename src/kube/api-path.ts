import type { KubeObject, Resource } from "../lib/resource.ts";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Place {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** The path of a collection, an object or its subresource; throws when no such thing can exist. */
export function apiPath(resource: Resource<KubeObject>, place: Place, query: Query = {}): string {
  const { group, version, plural, namespaced } = resource;
  const parts = group === "" ? ["api", version] : ["apis", group, version];
  if (namespaced && place.namespace) parts.push("namespaces", place.namespace);
  else if (namespaced && place.name) throw new Error(`${plural} "${place.name}" needs a namespace`);
  parts.push(plural);
  if (place.name !== undefined) parts.push(place.name);
  if (place.subresource !== undefined) parts.push(place.subresource);
  // No name of an object, but a server that resolves dots would take it for another path.
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw new Error(`"${parts.join("/")}" is no path`);
  return `/${parts.map(encodeURIComponent).join("/")}${queryText(query)}`;
}

function queryText(query: Query): string {
  let text = "";
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(String(one))}`;
    }
  }
  return text;
}
