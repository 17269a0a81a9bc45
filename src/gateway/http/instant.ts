/** Milliseconds since 1970 of an RFC 3339 text; null where there is none, or one before 1970. */
export function instantOf(text: string | undefined): number | null {
  const ms = Date.parse(text ?? "");
  return ms >= 0 ? ms : null;
}

/** The same for times that are always set. */
export function knownInstant(text: string | undefined): number {
  return instantOf(text) ?? 0;
}
