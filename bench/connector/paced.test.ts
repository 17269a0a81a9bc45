import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { FakeClock } from "../../src/lib/fake-clock.ts";
import { atPace, figuresOf, ratioTo, type Sample } from "./paced.ts";

/** Moves time by a millisecond at a time until all is sent and has ended. */
async function play(clock: FakeClock, sending: Promise<Sample[]>): Promise<Sample[]> {
  let samples: Sample[] | undefined;
  void sending.then((ended) => (samples = ended));
  while (!samples) {
    await turn();
    clock.advance(1);
  }
  return samples;
}

describe("what is sent at a pace", () => {
  it("goes when its time has come, whatever became of earlier ones", async () => {
    const clock = new FakeClock();
    const startsMs: number[] = [];
    const lastsMs = [250, 10, 10, 10];
    const send = (): Promise<boolean> => {
      const ms = lastsMs[startsMs.push(clock.monotonicMs()) - 1] ?? 0;
      return new Promise((resolve) => clock.setTimeout(() => resolve(true), ms));
    };
    const samples = await play(clock, atPace({ perSecond: 10, seconds: 0.4 }, send, clock));
    expect(startsMs).toEqual([0, 100, 200, 300]);
    expect(samples).toEqual(lastsMs.map((ms) => ({ ms, isRight: true })));
  });

  it("has failed where it throws, or ends in another way than wanted", async () => {
    const ends = [
      () => Promise.reject(new Error("planted")),
      () => Promise.resolve(false),
      () => Promise.resolve(true),
    ];
    const clock = new FakeClock();
    const samples = await play(
      clock,
      atPace({ perSecond: 3, seconds: 1 }, () => ends.shift()!(), clock),
    );
    expect(samples.map(({ isRight }) => isRight)).toEqual([false, false, true]);
  });
});

it("figures are of all samples, failed ones too", () => {
  const samples = Array.from({ length: 100 }, (_, index) => ({ ms: index + 1, isRight: index !== 7 }));
  expect(figuresOf(samples)).toEqual({ count: 100, p50Ms: 50, p99Ms: 99, longestMs: 100, failures: 1 });
});

it("a ratio is of the two p99", () => {
  expect(ratioTo({ p99Ms: 8 }, { p99Ms: 12 })).toBe(1.5);
});
