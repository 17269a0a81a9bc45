import { shownDuration } from "../../lib/shown-duration.ts";

/** Time since an instant; empty without one. */
export function shownAge(instant: string | undefined, now: Date): string {
  return instant === undefined ? "" : shownDuration(now.getTime() - Date.parse(instant));
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a length such as `90s`, `15m`, `1h30m` or `2d`; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}[smhd])+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)([smhd])/g);
  return [...parts].reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}
