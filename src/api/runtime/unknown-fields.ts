/** Whether a document of a newer peer has a field, at any depth, that `taken`, what was read of it, lacks. */
export function hasUnknownFields(given: unknown, taken: unknown): boolean {
  if (!isObject(given) || !isObject(taken)) return false;
  return Object.entries(given).some(
    ([key, value]) => !Object.hasOwn(taken, key) || hasUnknownFields(value, taken[key]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
