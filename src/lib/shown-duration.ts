const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A length of time as kubectl shows ages: in one unit, with about two digits: `95s`, `12m`, `36h`, `40d`. */
export function shownDuration(lengthMs: number): string {
  const positiveMs = Math.max(lengthMs, 0);
  if (positiveMs < 2 * minuteMs) return `${Math.floor(positiveMs / secondMs)}s`;
  if (positiveMs < 2 * hourMs) return `${Math.floor(positiveMs / minuteMs)}m`;
  if (positiveMs < 2 * dayMs) return `${Math.floor(positiveMs / hourMs)}h`;
  return `${Math.floor(positiveMs / dayMs)}d`;
}
