import { isPlainObject } from "../../src/lib/json-equal.ts";

/** A JSON merge patch carried out (RFC 7386): members of objects are merged, null removes, everything else replaces. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const merged = new Map(Object.entries(isPlainObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatched(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
