import { isDnsLabel } from "./dns-label.ts";

/** Names one object of a namespaced kind. */
export interface NamespacedName {
  namespace: string;
  name: string;
}

/** Reads `<namespace>.<name>`, the form of URLs; undefined for any other text. */
export function parseNamespacedName(text: string): NamespacedName | undefined {
  const [namespace = "", name = "", ...rest] = text.split(".");
  return rest.length === 0 && isDnsLabel(namespace) && isDnsLabel(name) ? { namespace, name } : undefined;
}

/** `<namespace>.<name>` */
export function namespacedNameText({ namespace, name }: NamespacedName): string {
  return `${namespace}.${name}`;
}
