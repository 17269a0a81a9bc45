const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** An instant from now, in its largest unit and rounded down: `3 min. ago`, `in 2 hr.`. */
export function relativeTime(at: number, nowMs: number): string {
  const ms = at - nowMs;
  const found = units.find(([, length]) => Math.abs(ms) >= length);
  if (!found) return "now";
  const [unit, length] = found;
  return words.format(Math.trunc(ms / length), unit);
}

/** A duration in its two largest units, such as `2 h 5 min`; below a second `0 s`. */
export function shownDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
