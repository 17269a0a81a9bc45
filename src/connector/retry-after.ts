/** Milliseconds that a header `Retry-After` asks for; undefined where it is left out or names no number of seconds. */
export function retryAfterMs(header: unknown): number | undefined {
  const text = typeof header === "string" || typeof header === "number" ? String(header).trim() : "";
  const seconds = Number(text);
  if (text === "" || Number.isNaN(seconds) || seconds < 0) return undefined;
  return seconds * 1_000;
}
