import type { KubeObject } from "../../../src/lib/resource.ts";

/** Whether an object is in the part of a collection that a request names. */
export type Selects = (object: KubeObject) => boolean;

/** Label selectors of the forms `a`, `!a`, `a=b`, `a!=b` and `a in (b,c)`; field selectors of the form `a.b=c`. */
export function selectorOf(namespace: string | undefined, query: URLSearchParams): Selects {
  const labels = termsOf(query.get("labelSelector")).map(labelTerm);
  const fields = termsOf(query.get("fieldSelector")).map(fieldTerm);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    labels.every((holds) => holds(object)) &&
    fields.every((holds) => holds(object));
}

function termsOf(text: string | null): string[] {
  return text ? (text.match(/(?:[^,(]|\([^)]*\))+/g) ?? []) : [];
}

function labelTerm(term: string): Selects {
  const set = /^(\S+) in \(([^)]*)\)$/.exec(term);
  if (set) {
    const values = new Set((set[2] ?? "").split(",").map((value) => value.trim()));
    return ({ metadata }) => values.has(metadata.labels?.[set[1] ?? ""] ?? "\0");
  }
  const pair = /^([^!=]+)(!=|==?)(.*)$/.exec(term);
  if (pair) {
    const [, name = "", operator, value = ""] = pair;
    const isWanted = operator !== "!=";
    return ({ metadata }) => (metadata.labels?.[name] === value) === isWanted;
  }
  if (term.startsWith("!")) return ({ metadata }) => metadata.labels?.[term.slice(1)] === undefined;
  return ({ metadata }) => metadata.labels?.[term] !== undefined;
}

function fieldTerm(term: string): Selects {
  const [path = "", value = ""] = term.split("=");
  return (object) => (valueAt(object, path.split(".")) ?? "") === value;
}

function valueAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  return typeof value === "object" && value !== null
    ? valueAt((value as Record<string, unknown>)[first], rest)
    : undefined;
}
