/** An instant in the form of Lease and Event times, which must have six decimals. */
export function microTime(instant: Date): string {
  return instant.toISOString().replace("Z", "000Z");
}
