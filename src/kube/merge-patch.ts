import { isPlainObject, jsonEqual } from "../lib/json-equal.ts";

/**
 * The JSON merge patch (RFC 7396) that makes `before` into `after`, or undefined when they are equal. Members that are
 * undefined count as absent; lists are replaced whole.
 */
export function mergePatch(before: object | undefined, after: object): Record<string, unknown> | undefined {
  const old = new Map(Object.entries(before ?? {}));
  const wanted = new Map(Object.entries(after).filter(([, value]) => value !== undefined));
  const patch: Record<string, unknown> = {};
  for (const [name, value] of old) if (value !== undefined && !wanted.has(name)) patch[name] = null;
  for (const [name, value] of wanted) {
    const change = memberChange(old.get(name), value);
    if (change !== undefined) patch[name] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function memberChange(before: unknown, after: unknown): unknown {
  if (jsonEqual(before, after)) return undefined;
  return isPlainObject(before) && isPlainObject(after) ? mergePatch(before, after) : after;
}
