import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Cron, parseCron } from "../../../lib/cron/cron.ts";
import { shortestGap } from "../../../lib/cron/shortest-gap.ts";
import { type TimeZone, timeZoneOf } from "../../../lib/time-zone.ts";
import { nextSlot, shortestIntervalMs } from "./slots.ts";

function zoneOf(name: string): TimeZone {
  const zone = timeZoneOf(name);
  if (!zone) throw new Error(`no zone ${name}`);
  return zone;
}

function slotsAfter(cron: string, zone: string, after: string, count: number): (string | undefined)[] {
  const slots: (Date | undefined)[] = [];
  for (let at: Date | undefined = new Date(after); at && slots.length < count;) {
    at = nextSlot(parseCron(cron), zoneOf(zone), at);
    slots.push(at);
  }
  return slots.map((slot) => slot?.toISOString().slice(0, 16));
}

describe("the next slots", () => {
  it.each([
    { cron: "0 9 * * *", zone: "UTC", after: "2026-03-01T09:00:00Z", want: ["2026-03-02T09:00"] },
    { cron: "0 9 * * *", zone: "UTC", after: "2026-03-01T08:59:59.999Z", want: ["2026-03-01T09:00"] },
    { cron: "0 9 * * *", zone: "UTC", after: "2026-03-01T09:00:00.001Z", want: ["2026-03-02T09:00"] },
    { cron: "0 9 * * 1-5", zone: "America/New_York", after: "2026-03-06T14:00:00Z", want: ["2026-03-09T13:00"] },
    {
      cron: "0 0 31 * *",
      zone: "UTC",
      after: "2026-01-31T00:00:00Z",
      want: ["2026-03-31T00:00", "2026-05-31T00:00", "2026-07-31T00:00"],
    },
    {
      cron: "0 0 13 * 5",
      zone: "UTC",
      after: "2026-02-01T00:00:00Z",
      want: ["2026-02-06T00:00", "2026-02-13T00:00", "2026-02-20T00:00", "2026-02-27T00:00", "2026-03-06T00:00"],
    },
    { cron: "0 0 * * 7", zone: "UTC", after: "2026-02-01T00:00:00Z", want: ["2026-02-08T00:00"] },
    { cron: "0 12 * * *", zone: "Pacific/Apia", after: "2026-02-01T00:00:00Z", want: ["2026-02-01T23:00"] },
    { cron: "0 0 29 2 *", zone: "UTC", after: "2096-03-01T00:00:00Z", want: ["2104-02-29T00:00"] },
    { cron: "15 5 * * *", zone: "Asia/Kathmandu", after: "2026-01-01T00:00:00Z", want: ["2026-01-01T23:30"] },
  ])("of $cron in $zone after $after are $want", ({ cron, zone, after, want }) => {
    expect(slotsAfter(cron, zone, after, want.length)).toEqual(want);
  });
});

describe("when clocks change", () => {
  it.each([
    {
      name: "a time that does not exist is later by what the clocks were put forward",
      cron: "30 2 * * *",
      zone: "America/New_York",
      after: "2026-03-07T12:00:00Z",
      want: ["2026-03-08T07:30", "2026-03-09T06:30"],
    },
    {
      name: "a time that comes twice is its first occurrence",
      cron: "30 1 * * *",
      zone: "America/New_York",
      after: "2026-10-31T12:00:00Z",
      want: ["2026-11-01T05:30", "2026-11-02T06:30"],
    },
    {
      name: "an hourly one has a repeated hour twice",
      cron: "0 * * * *",
      zone: "America/New_York",
      after: "2026-11-01T04:30:00Z",
      want: ["2026-11-01T05:00", "2026-11-01T06:00", "2026-11-01T07:00"],
    },
    {
      name: "a half-hourly one neither pauses nor doubles at a skipped hour",
      cron: "*/30 * * * *",
      zone: "America/New_York",
      after: "2026-03-08T06:20:00Z",
      want: ["2026-03-08T06:30", "2026-03-08T07:00", "2026-03-08T07:30"],
    },
    {
      name: "every second hour is not hourly",
      cron: "0 1-23/2 * * *",
      zone: "America/New_York",
      after: "2026-11-01T04:30:00Z",
      want: ["2026-11-01T05:00", "2026-11-01T08:00"],
    },
    {
      name: "a skipped time may come on the next day",
      cron: "30 23 * * 6",
      zone: "America/Nuuk",
      after: "2026-03-28T12:00:00Z",
      want: ["2026-03-29T01:30", "2026-04-05T00:30"],
    },
    {
      name: "a slot that is put forward too near to another gives way to the first",
      cron: "0,50 2,4 * * *",
      zone: "America/New_York",
      after: "2026-03-08T06:00:00Z",
      want: ["2026-03-08T07:00", "2026-03-08T07:50", "2026-03-08T08:50", "2026-03-09T06:00"],
    },
    {
      name: "half an hour put back brings no slots too near each other",
      cron: "32,58 * * * *",
      zone: "Australia/Lord_Howe",
      after: "2026-04-04T14:40:00Z",
      want: ["2026-04-04T14:58", "2026-04-04T15:28", "2026-04-04T16:02"],
    },
    {
      name: "a day that was skipped has its slots a day later, once",
      cron: "0 9 * * *",
      zone: "Pacific/Apia",
      after: "2011-12-29T12:00:00Z",
      want: ["2011-12-29T19:00", "2011-12-30T19:00", "2011-12-31T19:00"],
    },
  ])("$name: $cron in $zone", ({ cron, zone, after, want }) => {
    expect(slotsAfter(cron, zone, after, want.length)).toEqual(want);
  });
});

const minuteMs = 60_000;

/** What the wall clock shows in each minute, read off another format than the code under test reads. */
function wallClock(zone: string, fromMs: number, minutes: number): { atMs: number; wallMs: number }[] {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  });
  return Array.from({ length: minutes }, (_, index) => {
    const atMs = fromMs + index * minuteMs;
    const [day, month, year, hour, minute] = (format.format(atMs).match(/\d+/g) ?? []).map(Number);
    return { atMs, wallMs: Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute) };
  });
}

function isSelected(cron: Cron, wallMs: number): boolean {
  const wall = new Date(wallMs);
  const isTime = cron.minutes.includes(wall.getUTCMinutes()) && cron.hours.includes(wall.getUTCHours());
  if (!isTime || !cron.months.includes(wall.getUTCMonth() + 1)) return false;
  const days = [cron.daysOfMonth.includes(wall.getUTCDate()), cron.daysOfWeek.includes(wall.getUTCDay())];
  return cron.isEitherDay ? days.includes(true) : !days.includes(false);
}

/** Goes through the minutes one by one and looks at the clock on the wall. */
function naiveSlots(cron: Cron, clock: { atMs: number; wallMs: number }[]): number[] {
  const isEveryHour = cron.hours.length === 24;
  const shown = new Set<number>();
  const found = new Set<number>();
  let lastWallMs = (clock[0]?.wallMs ?? 0) - minuteMs;
  for (const { atMs, wallMs } of clock) {
    for (let skippedMs = lastWallMs + minuteMs; skippedMs < wallMs; skippedMs += minuteMs) {
      if (!isEveryHour && isSelected(cron, skippedMs)) found.add(atMs + skippedMs - lastWallMs - minuteMs);
    }
    if (isSelected(cron, wallMs) && (isEveryHour || !shown.has(wallMs))) found.add(atMs);
    shown.add(wallMs);
    lastWallMs = wallMs;
  }
  const slots = [...found].sort((a, b) => a - b);
  return slots.filter((slot, index) => slot - (slots[index - 1] ?? -Infinity) >= shortestIntervalMs);
}

/** Places and days on which clocks change, by an hour or a half, two hours or not at all, at and around midnight. */
const changes: [string, string][] = [
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Europe/Paris", "2026-03-29"],
  ["Europe/Paris", "2026-10-25"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Antarctica/Troll", "2026-10-25"],
  ["America/Havana", "2026-03-08"],
  ["America/Nuuk", "2026-03-28"],
  ["America/Nuuk", "2026-10-24"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Asia/Kolkata", "2026-06-01"],
  ["Pacific/Chatham", "2026-04-05"],
  ["UTC", "2026-02-28"],
];
const days = 6;
const clocks = new Map(
  changes.map((change) => {
    const [zone, day] = change;
    return [change, wallClock(zone, Date.parse(`${day}T00:00:00Z`) - 3 * 1_440 * minuteMs, days * 1_440)] as const;
  }),
);

const values = (min: number, max: number): fc.Arbitrary<string> => {
  return fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((list) => list.join(","));
};
const expression = fc
  .tuple(
    fc.oneof(values(0, 59), fc.constantFrom("0", "30", "*/15", "*/20")),
    fc.oneof(values(0, 23), values(0, 4), fc.constantFrom("*", "*/2", "22-23", "0-3")),
    fc.oneof({ weight: 3, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: values(1, 28) }),
    fc.constant("*"),
    fc.oneof({ weight: 3, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: values(0, 7) }),
  )
  .map((fields) => fields.join(" "))
  .filter((text) => (shortestGap(parseCron(text))?.minutes ?? 15) >= 15);

describe("whatever the expression, around changes of clocks", () => {
  it("the slots are those that a look at the wall clock each minute finds", () => {
    fc.assert(
      fc.property(expression, fc.constantFrom(...changes), (text, change) => {
        const clock = clocks.get(change) ?? [];
        const zone = zoneOf(change[0]);
        // The first and last day lack what is needed to know what was before and what is skipped.
        const [fromMs, untilMs] = [clock[1_440]?.atMs ?? 0, clock[(days - 1) * 1_440]?.atMs ?? 0];
        const cron = parseCron(text);
        const want = naiveSlots(cron, clock).filter((slot) => slot > fromMs && slot <= untilMs);
        const got: number[] = [];
        for (let at = nextSlot(cron, zone, new Date(fromMs)); at && at.getTime() <= untilMs;) {
          got.push(at.getTime());
          at = nextSlot(cron, zone, at);
        }
        expect(got.map(shown)).toEqual(want.map(shown));
      }),
      { numRuns: 100 },
    );
  });
});

function shown(atMs: number): string {
  return new Date(atMs).toISOString();
}
