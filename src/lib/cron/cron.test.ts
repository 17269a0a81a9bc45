import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CronError } from "./field.ts";
import { parseCron } from "./cron.ts";
import { shortestGap } from "./shortest-gap.ts";

describe("a cron expression", () => {
  it.each([
    { text: "5 4 3 2 1", want: { minutes: [5], hours: [4], daysOfMonth: [3], months: [2], daysOfWeek: [1] } },
    { text: "0,30,0 9-11 1 1 0", want: { minutes: [0, 30], hours: [9, 10, 11] } },
    { text: "*/20 0-23/6 1 1 0", want: { minutes: [0, 20, 40], hours: [0, 6, 12, 18] } },
    { text: "50/4 22-23/5 1 1 0", want: { minutes: [50, 54, 58], hours: [22] } },
    { text: "0 0 * jan,MAR-May *", want: { months: [1, 3, 4, 5] } },
    { text: "0 0 * * 7", want: { daysOfWeek: [0] } },
    { text: "0 0 * * 5-7", want: { daysOfWeek: [0, 5, 6] } },
    { text: "0 0 * * sun,Mon-WED", want: { daysOfWeek: [0, 1, 2, 3] } },
    { text: "0 0 1 * 1", want: { isEitherDay: true } },
    { text: "0 0 */2 * 1", want: { isEitherDay: true } },
    { text: "0 0 1 * *", want: { isEitherDay: false } },
    { text: "0 0 * * 1", want: { isEitherDay: false } },
    { text: " 0\t 0  1 1 1 ", want: { minutes: [0], hours: [0] } },
    { text: "0 0 29 2 *", want: { daysOfMonth: [29], months: [2] } },
    { text: "0 0 30 2 1", want: { daysOfMonth: [30], months: [2] } },
    { text: "0 0 30,31 2,3 *", want: { daysOfMonth: [30, 31], months: [2, 3] } },
  ])("$text is read", ({ text, want }) => {
    expect(parseCron(text)).toMatchObject(want);
  });

  it.each([
    { text: "", says: "it has 0 fields and must have 5" },
    { text: "@daily", says: "it has 1 field and must have 5" },
    { text: "0 9 * *", says: "it has 4 fields and must have 5" },
    { text: "0 0 9 * * *", says: "it has 6 fields and must have 5" },
    { text: "60 * * * *", says: 'minute "60" is out of bounds; values are 0 to 59' },
    { text: "0 24 * * *", says: 'hour "24" is out of bounds; values are 0 to 23' },
    { text: "0 0 0 * *", says: 'day of month "0" is out of bounds; values are 1 to 31' },
    { text: "0 0 32 * *", says: 'day of month "32"' },
    { text: "0 0 1 0 *", says: 'month "0" is out of bounds; values are 1 to 12, or JAN to DEC' },
    { text: "0 0 1 13 *", says: 'month "13"' },
    { text: "0 0 1 1 8", says: 'day of week "8" is out of bounds; values are 0 to 7, or SUN to SAT' },
    { text: "0 0 1 MON *", says: 'month "MON"' },
    { text: "JAN 0 1 1 *", says: 'minute "JAN"' },
    { text: "5-1 * * * *", says: 'minute "5-1" is a range from 5 down to 1' },
    { text: "0 0 * * fri-sun", says: "is a range from 5 down to 0" },
    { text: "*/0 * * * *", says: "has a step of 0" },
    { text: "1,,2 * * * *", says: 'minute "" must be' },
    { text: "1-2-3 * * * *", says: "must be" },
    { text: "*-5 * * * *", says: "must be" },
    { text: "-1 * * * *", says: "must be" },
    { text: "1.5 * * * *", says: "must be" },
    { text: "0 0 L * *", says: 'day of month "L" must be' },
    { text: "0 0 * * 5#2", says: "must be" },
    { text: "0 0 ? * 1", says: "must be" },
    { text: "H * * * *", says: "must be" },
    { text: "0 0 30 2 *", says: 'day of month "30" never comes in month "2"' },
    { text: "0 0 31 4,6,9,11 *", says: 'day of month "31" never comes in month "4,6,9,11"' },
  ])("$text is refused: $says", ({ text, says }) => {
    expect(() => parseCron(text)).toThrow(CronError);
    expect(() => parseCron(text)).toThrow(says);
  });

  it("is read or refused with words, whatever it is", () => {
    const pieces = fc.constantFrom("*", "/", "-", ",", " ", "0", "7", "59", "99", "jan", "MON", "L", "é", "\n", "@");
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          const { minutes, hours, daysOfMonth, months, daysOfWeek } = parseCron(input);
          for (const values of [minutes, hours, daysOfMonth, months, daysOfWeek]) expect(values).not.toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(CronError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the shortest gap between slots", () => {
  it.each([
    { text: "*/15 * * * *", minutes: 15 },
    { text: "*/20 * * * *", minutes: 20 },
    { text: "*/14 * * * *", minutes: 4, from: "00:56", to: "01:00" },
    { text: "*/25 * * * *", minutes: 10 },
    { text: "*/45 * * * *", minutes: 15 },
    { text: "0,10 * * * *", minutes: 10 },
    { text: "0,50 * * * *", minutes: 10 },
    { text: "0,14 12 * * *", minutes: 14, from: "12:00", to: "12:14" },
    { text: "0,15 12 * * *", minutes: 15 },
    { text: "0,16 12 * * *", minutes: 16 },
    { text: "0,15,30,45 * * * *", minutes: 15 },
    { text: "0-5 3 * * *", minutes: 1 },
    { text: "* * 1 2 *", minutes: 1 },
    { text: "0 9 * * 1-5", minutes: 1_440, from: "09:00", to: "09:00" },
    { text: "2,58 0,4,8,12,20,21 * * *", minutes: 4, from: "20:58", to: "21:02" },
    { text: "5,55 0,23 * * *", minutes: 10, from: "23:55", to: "00:05" },
    { text: "5,55 0,23 * * 1,2", minutes: 10, from: "23:55", to: "00:05" },
    { text: "5,55 0,23 * * 1", minutes: 50, from: "00:05", to: "00:55" },
    { text: "5,55 0,23 1,3 * *", minutes: 50 },
    { text: "5,55 0,23 1,31 12,1 *", minutes: 10 },
    { text: "5,55 0,1 * * 1", minutes: 10, from: "00:55", to: "01:05" },
  ])("of $text is $minutes minutes", ({ text, ...want }) => {
    expect(shortestGap(parseCron(text))).toMatchObject(want);
  });

  it.each(["0 0 29 2 *", "0 9 * * 1", "0 9 1 * *"])("of %s is more than a day", (text) => {
    expect(shortestGap(parseCron(text))).toBeUndefined();
  });
});
