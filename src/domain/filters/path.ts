/** What is at a path: a value, or nothing below a value of this kind after this number of steps. */
export type Resolved = { value: unknown } | { missingAfter: number; inside: ValueKind };

/** Kinds of JSON values. */
export type ValueKind = "object" | "list" | "text" | "number" | "boolean" | "null";

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
export function resolvePath(body: unknown, steps: readonly string[]): Resolved {
  let value = body;
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at] ?? "";
    const inside = valueKind(value);
    if (inside !== "object" || !Object.hasOwn(value as object, step)) return { missingAfter: at, inside };
    // An own member, `__proto__` included: the parser made it, so reading it runs no accessor.
    value = (value as Record<string, unknown>)[step];
  }
  return { value };
}

/** The kind of a value that a JSON parser made. */
export function valueKind(value: unknown): ValueKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "object";
}
