import { describe, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { FairLimiter, type FairLimiterOptions } from "./fair-limiter.ts";

type Limits = Omit<FairLimiterOptions, "workingInLane"> & Partial<FairLimiterOptions>;

function world(limits: Limits = { working: 2, waiting: 4, waitingInLane: 3 }) {
  const clock = new FakeClock();
  const limiter = new FairLimiter(clock, { workingInLane: limits.working, ...limits });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  /** `a` is a lane in a namespace of its own, `a/1` one of several in namespace `a`. */
  const use = (lane: string, deadlineMs = 1_000): Promise<string> =>
    limiter.run({ namespace: lane.split("/")[0] ?? "", uid: lane }, deadlineMs, async () => {
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
  const { begun, use, endOne } = world({ working: 1, waiting: 20, waitingInLane: 5 });
  const all = ["a", "a", "a", "a", "b", "b", "c"].map((lane) => use(lane));
  for (let left = all.length; left > 0; left -= 1) await endOne();
  await Promise.all(all);
  expect(begun).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});

it("gives free places to namespaces in turn, however many lanes one has", async () => {
  const { begun, use, endOne } = world({ working: 1, waiting: 20, waitingInLane: 5 });
  const lanes = ["a/1", "a/1", "a/1", "a/2", "a/3", "a/4", "b/1", "b/1", "c/1"];
  const all = lanes.map((lane) => use(lane));
  for (let left = all.length; left > 0; left -= 1) await endOne();
  await Promise.all(all);
  expect(begun).toEqual(["a/1", "a/1", "b/1", "c/1", "a/2", "b/1", "a/3", "a/4", "a/1"]);
});

it("lets a namespace wait with as much as is free, so that the next one finds places", async () => {
  const { limiter, use, endOne } = world({ working: 1, waiting: 8, waitingInLane: 8 });
  const queuing = (lane: string, count: number): Promise<string>[] => Array.from({ length: count }, () => use(lane));
  const first = queuing("a/1", 1);
  const hostile = [...queuing("a/1", 2), ...queuing("a/2", 2)];
  await expect(use("a/3")).rejects.toMatchObject({ code: "Unavailable", why: "queue-full" });
  const other = queuing("b/1", 2);
  await expect(use("b/1")).rejects.toMatchObject({ why: "queue-full" });
  expect(limiter.waiting).toBe(6);
  for (let left = 7; left > 0; left -= 1) await endOne();
  await Promise.all([...first, ...hostile, ...other]);
});

it("refuses at once what finds its lane or the queue full", async () => {
  const { use, endOne } = world({ working: 2, waiting: 8, waitingInLane: 3 });
  const taken = ["a", "a", "a", "a", "a"].map((lane) => use(lane));
  await expect(use("a")).rejects.toMatchObject({ code: "Unavailable", why: "queue-full" });
  const others = ["b", "b", "c", "d"].map((lane) => use(lane));
  await expect(use("b")).rejects.toMatchObject({ why: "queue-full" });
  for (let at = 0; at < 9; at += 1) await endOne();
  await Promise.all([...taken, ...others]);
});

it("refuses what has waited until its deadline, and does not do it later", async () => {
  const { clock, limiter, begun, use, endOne } = world({ working: 1, waiting: 4, waitingInLane: 2 });
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

describe("of one lane", () => {
  const limits = { working: 4, workingInLane: 2, waiting: 20, waitingInLane: 5 };

  it.each([
    { name: "below its limit", of: 1, working: 1, waiting: 0 },
    { name: "at its limit", of: 2, working: 2, waiting: 0 },
    { name: "above its limit", of: 3, working: 2, waiting: 1 },
  ])("so much works $name, however many places are free", async ({ of, working, waiting }) => {
    const { limiter, use, endOne } = world(limits);
    const all = Array.from({ length: of }, () => use("a"));
    expect([limiter.working, limiter.waiting]).toEqual([working, waiting]);
    for (let left = of; left > 0; left -= 1) await endOne();
    await Promise.all(all);
    expect([limiter.working, limiter.waiting]).toEqual([0, 0]);
  });

  it("what waits for a place of its own lane keeps no other lane waiting, of its namespace or another", async () => {
    const { limiter, begun, use, endOne } = world(limits);
    const all = ["a/1", "a/1", "a/1", "a/1", "a/2", "b/1"].map((lane) => use(lane));
    expect(begun).toEqual(["a/1", "a/1", "a/2", "b/1"]);
    expect(limiter.waiting).toBe(2);
    for (let left = all.length; left > 0; left -= 1) await endOne();
    await Promise.all(all);
  });

  it("a place that another lane frees is not for a lane at its limit, and the lane's own is", async () => {
    const { limiter, begun, use, endOne } = world(limits);
    const all = ["b", "a", "a", "a", "a"].map((lane) => use(lane));
    await endOne();
    expect([limiter.working, limiter.waiting]).toEqual([2, 2]);
    await endOne();
    expect([limiter.working, limiter.waiting]).toEqual([2, 1]);
    await endOne();
    await endOne();
    await endOne();
    await Promise.all(all);
    expect(begun).toEqual(["b", "a", "a", "a", "a"]);
  });

  it("everything has its turn while one lane always has more", async () => {
    const { begun, use, endOne } = world({ working: 2, workingInLane: 1, waiting: 20, waitingInLane: 5 });
    const all = ["a", "b", "a", "c", "d"].map((lane) => use(lane));
    for (let ended = 0; ended < 4; ended += 1) {
      all.push(use("a"));
      await endOne();
    }
    expect(begun).toEqual(expect.arrayContaining(["c", "d"]));
    for (let left = 5; left > 0; left -= 1) await endOne();
    await Promise.all(all);
    expect(begun).toHaveLength(all.length);
  });
});

it.each(["a", "b"])("frees the place of work that failed, in all and in its lane, for %s", async (lane) => {
  const { limiter, begun, use, endOne } = world({ working: 1, waiting: 4, waitingInLane: 2 });
  const failing = limiter.run({ namespace: "a", uid: "a" }, 1_000, () => Promise.reject(new Error("away")));
  const next = use(lane);
  expect(begun).toEqual([]);
  await expect(failing).rejects.toThrow("away");
  await endOne();
  expect(await next).toBe(lane);
  expect(limiter.working).toBe(0);
});
