import type { Cron } from "./cron.ts";
import { lastDays, longestMonths } from "./month-lengths.ts";

/**
 * Whether the expression ever selects a day and the one after it. Each pair of days in months falls on each pair of weekdays
 * within 400 years, so either kind of day can be looked at by itself.
 */
export function haveNeighbours({ daysOfMonth, months, daysOfWeek, isEitherDay }: Cron): boolean {
  const ofWeek = daysOfWeek.some((day) => daysOfWeek.includes((day + 1) % 7));
  // A day of the month has both neighbours' weekdays in some year, and one of them within its month.
  if (isEitherDay) return ofWeek || months.some((month) => daysOfMonth.some((day) => day <= longestIn(month)));
  return ofWeek && months.some((month) => daysOfMonth.some((day) => isFollowed(day, month)));

  function isFollowed(day: number, month: number): boolean {
    const isWithin = daysOfMonth.includes(day + 1) && day < longestIn(month);
    const isAtEnd = lastDays[month - 1]?.includes(day) && daysOfMonth.includes(1) && months.includes((month % 12) + 1);
    return isWithin || isAtEnd === true;
  }
}

function longestIn(month: number): number {
  return longestMonths[month - 1] ?? 0;
}
