import fc from "fast-check";
import { expect, it } from "vitest";

import { parseCron } from "./cron.ts";
import { haveNeighbours } from "./neighbouring-days.ts";

interface Day {
  dayOfMonth: number;
  month: number;
  dayOfWeek: number;
}

/** After 400 years days of the month fall on the same weekdays again. */
const calendar: readonly Day[] = Array.from({ length: 146_097 }, (_, index) => {
  const date = new Date(Date.UTC(2000, 0, 1 + index));
  return { dayOfMonth: date.getUTCDate(), month: date.getUTCMonth() + 1, dayOfWeek: date.getUTCDay() };
});

/** Whether the expression selects a day and the one after it, by a look at each. */
function foundInCalendar(text: string): boolean {
  const { daysOfMonth, months, daysOfWeek, isEitherDay } = parseCron(text);
  const isSelected = ({ dayOfMonth, month, dayOfWeek }: Day): boolean => {
    const [byMonth, byWeek] = [daysOfMonth.includes(dayOfMonth), daysOfWeek.includes(dayOfWeek)];
    return months.includes(month) && (isEitherDay ? byMonth || byWeek : byMonth && byWeek);
  };
  const selected = calendar.map(isSelected);
  return selected.some((is, index) => is && selected[(index + 1) % selected.length] === true);
}

it.each([
  { days: "* * *", has: true },
  { days: "* * 1", has: false },
  { days: "* * 1,2", has: true },
  { days: "* * 1,3,5", has: false },
  { days: "* * 0,6", has: true },
  { days: "* * 6,7", has: true },
  { days: "* * 0,7", has: false },
  { days: "* * 1-7/3", has: true },
  { days: "1 * *", has: false },
  { days: "1,2 * *", has: true },
  { days: "*/2 * *", has: true },
  { days: "*/2 2 *", has: false },
  { days: "*/2 2,3 *", has: true },
  { days: "1,31 1 *", has: false },
  { days: "1,31 1,2 *", has: true },
  { days: "1,31 1,3 *", has: false },
  { days: "1,31 12,1 *", has: true },
  { days: "1,30 1,2 *", has: false },
  { days: "1,30 4,5 *", has: true },
  { days: "1,28 2,3 *", has: true },
  { days: "1,29 2,3 *", has: true },
  { days: "28,29 2 *", has: true },
  { days: "29,30 2 *", has: false },
  { days: "30,31 4,6 *", has: false },
  { days: "30,31 4,5 *", has: true },
  { days: "1 * 1", has: true },
  { days: "31 4 1", has: false },
  { days: "31 4 1,2", has: true },
  { days: "30 2 1", has: false },
  { days: "29 2 1", has: true },
  { days: "31 1 *", has: false },
])("the days of $days follow one another: $has", ({ days, has }) => {
  expect(foundInCalendar(`0 0 ${days}`)).toBe(has);
  expect(haveNeighbours(parseCron(`0 0 ${days}`))).toBe(has);
});

it("is what a look at each day of 400 years finds", () => {
  const list = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant("*"),
      fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((values) => values.join(",")),
    );
  fc.assert(
    fc.property(list(1, 31), list(1, 12), list(0, 7), (...fields) => {
      const text = `0 0 ${fields.join(" ")}`;
      fc.pre(isPossible(text));
      expect(haveNeighbours(parseCron(text))).toBe(foundInCalendar(text));
    }),
    { numRuns: 200 },
  );
});

function isPossible(text: string): boolean {
  try {
    parseCron(text);
    return true;
  } catch {
    return false;
  }
}
