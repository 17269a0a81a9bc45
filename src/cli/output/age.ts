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

/** Time since an instant; empty without one. */
export function shownAge(instant: string | undefined, now: Date): string {
  return instant === undefined ? "" : shownDuration(now.getTime() - Date.parse(instant));
}

const unitsMs: Readonly<Record<string, number>> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs };

/** Milliseconds of a length such as `90s`, `15m`, `1h30m` or `2d`; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}[smhd])+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)([smhd])/g);
  return [...parts].reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}
