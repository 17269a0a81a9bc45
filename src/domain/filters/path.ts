/** What a path finds where there is nothing; JSON has no such value. */
export const missing = Symbol("missing");

/** The steps of a path such as `$.alert.severity`; undefined where a text is no such path. */
export function compilePath(path: string): readonly string[] | undefined {
  if (!path.startsWith("$.")) return undefined;
  const steps = path.slice(2).split(".");
  const isPlain = steps.every((step) => step !== "" && !/[[\]()*?]/.test(step));
  return isPlain ? steps : undefined;
}

/**
 * The value at the end of the steps. Only own members of objects are found: nothing inherited, and arrays have no
 * members, neither numbers nor `length`.
 */
export function resolvePath(body: unknown, steps: readonly string[]): unknown {
  let value = body;
  for (const step of steps) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return missing;
    if (!Object.hasOwn(value, step)) return missing;
    // An own member, `__proto__` included: the parser made it, so reading it runs no accessor.
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
