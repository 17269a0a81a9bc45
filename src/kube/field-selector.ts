/** A field selector for this value, whose commas, equals signs and backslashes would be read as the selector's own. */
export function fieldIs(path: string, value: string): string {
  return `${path}=${value.replaceAll(/[\\,=]/g, "\\$&")}`;
}
