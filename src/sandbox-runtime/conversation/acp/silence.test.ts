import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";

import { FakeClock } from "../../../lib/fake-clock.ts";
import { Silence, silenceLimits } from "./silence.ts";

const { enough, longestTurn, apart, longestApart } = silenceLimits;
const never = new AbortController().signal;
let clock: FakeClock;
let silence: Silence;

beforeEach(() => {
  clock = new FakeClock();
  clock.advance(60_000);
  silence = new Silence(clock);
});

/** How long something waits while the agent says a word each so many milliseconds. */
async function waited(wait: Promise<void>, everyMs = Infinity): Promise<number> {
  const beganMs = clock.monotonicMs();
  const over = new AbortController();
  void wait.then(() => over.abort());
  await setImmediate();
  while (!over.signal.aborted && clock.monotonicMs() - beganMs < 60_000) {
    clock.advance(1);
    if ((clock.monotonicMs() - beganMs) % everyMs === 0) silence.heard();
    await setImmediate();
  }
  return clock.monotonicMs() - beganMs;
}

describe("after an answer", () => {
  beforeEach(() => silence.answered());

  it.each([
    { everyMs: Infinity, want: enough },
    { everyMs: enough + 1, want: enough },
    { everyMs: enough - 1, want: longestTurn },
  ])("a turn of an agent that speaks each $everyMs ms ends $want ms later", async ({ everyMs, want }) => {
    expect(await waited(silence.afterAnswer(never), everyMs)).toBe(want);
  });

  it("words shortly before the answer make it no shorter", async () => {
    silence.heard();
    clock.advance(enough - 1);
    silence.answered();
    expect(await waited(silence.afterAnswer(never))).toBe(enough);
  });

  it.each([
    { everyMs: Infinity, want: apart },
    { everyMs: enough - 1, want: longestApart },
  ])("the next turn of one that speaks each $everyMs ms begins $want ms later", async ({ everyMs, want }) => {
    expect(await waited(silence.beforeNext(never), everyMs)).toBe(want);
  });

  it("the next turn waits for the end of words that come late", async () => {
    clock.advance(apart - 1);
    silence.heard();
    expect(await waited(silence.beforeNext(never))).toBe(enough);
  });

  it("the next turn of one that is silent since long begins at once", async () => {
    clock.advance(apart);
    expect(await waited(silence.beforeNext(never))).toBe(0);
  });

  it("who does not want to wait any more does not", async () => {
    const cancelling = new AbortController();
    const both = [silence.afterAnswer(cancelling.signal), silence.beforeNext(cancelling.signal)];
    cancelling.abort();
    expect(await waited(Promise.all(both).then(() => undefined))).toBe(0);
    expect(await waited(silence.beforeNext(cancelling.signal))).toBe(0);
  });
});

it("the first turn begins at once", async () => {
  silence.heard();
  clock.advance(enough);
  expect(await waited(silence.beforeNext(never))).toBe(0);
});
