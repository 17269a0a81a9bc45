import { PassThrough } from "node:stream";

import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { TooSlowError, unlessTooSlow } from "./least-throughput.ts";

const minuteMs = 60_000;
const leastAMinute = 60 * 16_384;

/** A stream of which each minute brings so many bytes, and how many minutes of it are taken. */
async function minutesOf(bytes: number, most: number, takingMs = 0): Promise<number | TooSlowError> {
  const clock = new FakeClock();
  const source = new PassThrough({ highWaterMark: 2 * leastAMinute });
  const pieces = unlessTooSlow(source, clock);
  for (let minute = 1; minute <= most; minute += 1) {
    const next = pieces.next();
    clock.advance(minuteMs);
    source.write(Buffer.alloc(bytes));
    try {
      await next;
    } catch (error) {
      expect([error instanceof TooSlowError, source.destroyed]).toEqual([true, true]);
      return minute;
    }
    clock.advance(takingMs);
  }
  return most;
}

it.each([
  { name: "as much as has to come", bytes: leastAMinute, minutes: 100, want: 100 },
  { name: "a byte a minute, within the first ten minutes", bytes: 1, minutes: 10, want: 10 },
  { name: "a byte a minute", bytes: 1, minutes: 100, want: 11 },
  { name: "half of what has to come", bytes: leastAMinute / 2, minutes: 100, want: 21 },
])("takes $name for $want minutes", async ({ bytes, minutes, want }) => {
  expect(await minutesOf(bytes, minutes)).toBe(want);
});

it("does not count the time in which pieces are stored", async () => {
  expect(await minutesOf(leastAMinute, 20, 60 * minuteMs)).toBe(20);
});

it("does not end a stream that came to its end", async () => {
  const source = new PassThrough();
  source.end("all");
  let taken = "";
  for await (const piece of unlessTooSlow(source, new FakeClock())) taken += String(piece);
  expect(taken).toBe("all");
});
