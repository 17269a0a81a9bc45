import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { FairLimiter } from "./fair-limiter.ts";

function world(options = { working: 2, waiting: 4, waitingInLane: 3 }) {
  const clock = new FakeClock();
  const limiter = new FairLimiter(clock, options);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const use = (lane: string, deadlineMs = 1_000): Promise<string> =>
    limiter.run(lane, deadlineMs, async () => {
      begun.push(lane);
      await new Promise<void>((resolve) => ends.push(resolve));
      return lane;
    });
  /** Ends the oldest work and lets the next begin. */
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { clock, limiter, begun, use, endOne };
}

it("lets so many work and the next one only when a place is free", async () => {
  const { limiter, begun, use, endOne } = world();
  const all = [use("a"), use("a"), use("a")];
  expect(begun).toHaveLength(2);
  expect([limiter.working, limiter.waiting]).toEqual([2, 1]);
  await endOne();
  expect(begun).toHaveLength(3);
  expect([limiter.working, limiter.waiting]).toEqual([2, 0]);
  await endOne();
  await endOne();
  await Promise.all(all);
  expect([limiter.working, limiter.waiting]).toEqual([0, 0]);
});

it("gives free places to the lanes in turn", async () => {
  const { begun, use, endOne } = world({ working: 1, waiting: 10, waitingInLane: 5 });
  const all = ["a", "a", "a", "a", "b", "b", "c"].map((lane) => use(lane));
  for (let left = all.length; left > 0; left -= 1) await endOne();
  await Promise.all(all);
  expect(begun).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});

it("refuses at once what finds its lane or the queue full", async () => {
  const { use, endOne } = world();
  const taken = ["a", "a", "a", "a", "a"].map((lane) => use(lane));
  await expect(use("a")).rejects.toMatchObject({ code: "Unavailable", why: "queue-full" });
  const last = use("b");
  await expect(use("c")).rejects.toMatchObject({ why: "queue-full" });
  for (let at = 0; at < 6; at += 1) await endOne();
  await Promise.all([...taken, last]);
});

it("refuses what has waited until its deadline, and does not do it later", async () => {
  const { clock, limiter, begun, use, endOne } = world({ working: 1, waiting: 2, waitingInLane: 2 });
  const first = use("a");
  const late = use("a", 500);
  const patient = use("a", 900);
  clock.advance(500);
  await expect(late).rejects.toMatchObject({ code: "Unavailable", why: "queue-timeout", retryAfterSeconds: 2 });
  expect(limiter.waiting).toBe(1);
  await endOne();
  await endOne();
  expect(await Promise.all([first, patient])).toEqual(["a", "a"]);
  expect(begun).toHaveLength(2);
  expect(clock.timers).toBe(0);
});

it("frees the place of work that failed", async () => {
  const { limiter } = world();
  const failing = limiter.run("a", 1_000, () => Promise.reject(new Error("away")));
  await expect(failing).rejects.toThrow("away");
  expect(limiter.working).toBe(0);
});
