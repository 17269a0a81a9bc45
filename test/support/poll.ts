/**
 * Milliseconds until the next look at something that has been waited for so long: a tenth of that within these bounds, so that a wait costs the API server few
 * requests and lasts a tenth longer at most.
 */
export function nextLookMs(waitedMs: number, { leastMs = 10, mostMs = 250 } = {}): number {
  return Math.min(mostMs, Math.max(leastMs, waitedMs / 10));
}
