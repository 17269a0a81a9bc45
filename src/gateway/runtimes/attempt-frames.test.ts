import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { protocolLimits } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { AttemptFrames, framesOfWelcome } from "./attempt-frames.ts";

const { frames: rate, unacknowledged, events } = protocolLimits;
const noSignal = new AbortController().signal;

/** Whether it has room now. */
async function hasRoom(frames: AttemptFrames, clock: FakeClock): Promise<boolean> {
  let isThere = false;
  const over = new AbortController();
  const waiting = frames.roomForRepeats(clock, over.signal).then(() => (isThere = !over.signal.aborted));
  await Promise.resolve();
  over.abort();
  await waiting;
  return isThere;
}

it("has room for repeats and a burst of events at once, and waits for it with a frame less", async () => {
  expect(framesOfWelcome).toBe(480);
  const clock = new FakeClock();
  const frames = new AttemptFrames(clock.monotonicMs());
  frames.take(clock.monotonicMs(), rate.burst - framesOfWelcome);
  expect(await hasRoom(frames, clock)).toBe(true);
  frames.take(clock.monotonicMs());
  expect(await hasRoom(frames, clock)).toBe(false);
  const room = frames.roomForRepeats(clock, noSignal);
  clock.advance(20);
  await room;
  expect(clock.timers).toBe(0);
});

it("never ends a runtime that repeats all it may on each connection, and sends as many events as it may", async () => {
  const clock = new FakeClock();
  const frames = new AttemptFrames(clock.monotonicMs());
  /** Events of the runtime beyond those that it repeats. */
  let burst: number = events.burst;
  for (let connection = 0; connection < 20; connection += 1) {
    const beganMs = clock.monotonicMs();
    const welcome = frames.roomForRepeats(clock, noSignal);
    while (clock.timers > 0) {
      clock.advance(100);
      await setImmediate();
    }
    await welcome;
    const gained = ((clock.monotonicMs() - beganMs) / 1_000) * events.perSecond;
    burst = Math.min(events.burst, burst + gained);
    for (let sent = 0; sent < unacknowledged + burst; sent += 1) {
      expect(frames.take(clock.monotonicMs())).toBe(true);
    }
    burst = 0;
  }
});

it("waits no longer than the connection lasts", async () => {
  const clock = new FakeClock();
  const frames = new AttemptFrames(clock.monotonicMs());
  frames.take(clock.monotonicMs(), rate.burst);
  const over = new AbortController();
  const room = frames.roomForRepeats(clock, over.signal);
  over.abort();
  await room;
  expect(clock.timers).toBe(0);
});
