import fc from "fast-check";

import { parseNamespacedName } from "../../src/lib/namespaced-name.ts";
import { compilePath, resolvePath } from "../../src/domain/filters/path.ts";
import { bounded, type NamedProperty } from "./property.ts";

const labelLike = fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-", ".", "A", "/", "é"), maxLength: 70 });
const ids = fc.oneof(
  fc.string(),
  labelLike,
  fc.tuple(labelLike, labelLike).map((parts) => parts.join(".")),
);

/** A DNS label, character by character. */
function isLabel(text: string): boolean {
  const isInside = Array.from(text).every((character) => "abcdefghijklmnopqrstuvwxyz0123456789-".includes(character));
  return isInside && text.length >= 1 && text.length <= 63 && !text.startsWith("-") && !text.endsWith("-");
}

const steps = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "__proto__", "length", "[", "*"), maxLength: 3 });
const filterPaths = fc.oneof(
  fc.string(),
  fc.array(steps, { maxLength: 5 }).map((parts) => `$.${parts.join(".")}`),
);
const names = fc.constantFrom("a", "b", " ", "é", "__proto__", "length");
const leaves = fc.constantFrom<unknown>(null, 0, "text", true, [], ["a"], {});
const documents = fc.dictionary(
  names,
  fc.oneof(leaves, fc.dictionary(names, fc.oneof(leaves, fc.dictionary(names, leaves)))),
);

/** What JSON has no value for. */
const missing = Symbol("missing");

function resolveBySteps(document: unknown, path: string): unknown {
  if (!path.startsWith("$.")) return missing;
  let value: unknown = document;
  for (const step of path.slice(2).split(".")) {
    if (step === "" || /[[\]()*?]/.test(step)) return missing;
    if (value === null || typeof value !== "object" || Array.isArray(value)) return missing;
    const member = Object.entries(value).find(([name]) => name === step);
    if (!member) return missing;
    value = member[1];
  }
  return value;
}

export const pathProperties: readonly NamedProperty[] = [
  {
    name: "an automation's id is two DNS labels with a dot between",
    property: fc.property(ids, (text) => {
      const id = bounded(() => parseNamespacedName(text));
      const parts = text.split(".");
      const isId = parts.length === 2 && parts.every(isLabel);
      return isId ? id?.namespace === parts[0] && id?.name === parts[1] : id === undefined;
    }),
  },
  {
    name: "a filter's path finds own members of objects, step by step",
    property: fc.property(filterPaths, documents, (path, document) => {
      const compiled = bounded(() => compilePath(path));
      const resolved = compiled && resolvePath(document, compiled);
      const found = resolved && "value" in resolved ? resolved.value : missing;
      return Object.is(found, resolveBySteps(document, path));
    }),
  },
];
