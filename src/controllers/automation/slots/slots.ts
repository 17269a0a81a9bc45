import type { Cron } from "../../../lib/cron/cron.ts";
import type { TimeZone } from "../../../lib/time-zone.ts";

/** The shortest time between two slots: 15 minutes. */
export const shortestIntervalMs = 900_000;

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** The longest time to a next slot: 29 February around a year such as 2100. */
const longestSearchDays = 9 * 366;

/** Wall-clock times are milliseconds as if the wall clock showed UTC; a day is their whole days since 1970. */
type WallMs = number;

/**
 * The first slot strictly after an instant. When clocks change:
 *
 * - An expression of every hour follows elapsed time: a repeated hour has its slots twice, a skipped one has none.
 * - Any other expression has a slot for each wall-clock time that it names: at its first occurrence where it comes
 *   twice, and later by what the clocks were put forward where it does not come.
 * - A slot that a change would bring nearer than 15 minutes to the one before is left out.
 *
 * `cron` must keep that distance by itself on days without a change. Undefined when there is none within 9 years.
 */
export function nextSlot(cron: Cron, zone: TimeZone, after: Date): Date | undefined {
  const afterMs = after.getTime();
  const first = dayOf(afterMs + zone.offsetMs(afterMs)) - 1;
  let [yesterday, today] = [instantsOn(first - 1, cron, zone), instantsOn(first, cron, zone)];
  for (let day = first; day < first + longestSearchDays; day += 1) {
    // A slot that clocks move over midnight may come after the next day's first slots.
    const tomorrow = instantsOn(day + 1, cron, zone);
    const instants = [...yesterday, ...today, ...tomorrow].sort((a, b) => a - b);
    const found = instants.find((atMs, index) => {
      return atMs > afterMs && atMs - (instants[index - 1] ?? -Infinity) >= shortestIntervalMs;
    });
    if (found !== undefined) return new Date(found);
    [yesterday, today] = [today, tomorrow];
  }
  return undefined;
}

/** The instants of one day's wall-clock times, in no certain order. */
function instantsOn(day: number, cron: Cron, zone: TimeZone): number[] {
  if (!isDaySelected(day, cron)) return [];
  // No zone is further from UTC than a day, nor do its clocks change twice in so short a time.
  const change = { beforeMs: zone.offsetMs((day - 1) * dayMs), afterMs: zone.offsetMs((day + 2) * dayMs) };
  const times = cron.hours.flatMap((hour) =>
    cron.minutes.map((minute) => day * dayMs + (hour * 60 + minute) * minuteMs),
  );
  if (change.beforeMs === change.afterMs) return times.map((wallMs) => wallMs - change.beforeMs);
  const isEveryHour = cron.hours.length === 24;
  return times.flatMap((wallMs) => {
    const occurrences = occurrencesOf(wallMs, change, zone);
    if (isEveryHour) return occurrences;
    return [occurrences[0] ?? wallMs - change.beforeMs];
  });
}

/** When the wall clock shows a time: once, twice where it was put back, never where it was put forward. Ascending. */
function occurrencesOf(wallMs: WallMs, change: { beforeMs: number; afterMs: number }, zone: TimeZone): number[] {
  const offsets = [change.beforeMs, change.afterMs];
  return offsets
    .filter((offsetMs) => zone.offsetMs(wallMs - offsetMs) === offsetMs)
    .map((offsetMs) => wallMs - offsetMs);
}

function dayOf(wallMs: WallMs): number {
  return Math.floor(wallMs / dayMs);
}

function isDaySelected(day: number, cron: Cron): boolean {
  const date = new Date(day * dayMs);
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const isOfMonth = cron.daysOfMonth.includes(date.getUTCDate());
  const isOfWeek = cron.daysOfWeek.includes(date.getUTCDay());
  return cron.isEitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
}
