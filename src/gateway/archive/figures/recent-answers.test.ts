import { beforeEach, expect, it } from "vitest";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { RecentAnswers } from "./recent-answers.ts";

let clock: FakeClock;
let recent: RecentAnswers;
let asked: number;
beforeEach(() => {
  clock = new FakeClock();
  recent = new RecentAnswers(clock);
  asked = 0;
});

const ask = (): Promise<number> => Promise.resolve((asked += 1));

it.each([
  [9_999, 1],
  [10_000, 2],
])("after %i ms has asked %i times", async (ms, want) => {
  await recent.get(["a"], ask);
  clock.advance(ms);
  expect(await recent.get(["a"], ask)).toBe(want);
});

it("asks once for those that come at the same time", async () => {
  expect(await Promise.all([recent.get(["a"], ask), recent.get(["a"], ask)])).toEqual([1, 1]);
});

it.each([[["b"]], [["a", undefined]], [["a", 1]], [[["a"]]]])("takes %j for another question than a", async (other) => {
  await recent.get(["a"], ask);
  expect(await recent.get(other, ask)).toBe(2);
});

it("asks again after a failure, and fails all who waited for it", async () => {
  const fail = (): Promise<number> => Promise.reject(new Error("away"));
  const both = await Promise.allSettled([recent.get(["a"], fail), recent.get(["a"], ask)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await recent.get(["a"], ask)).toBe(1);
});

it("keeps 1,000 answers and forgets the oldest", async () => {
  for (let at = 0; at < 1_001; at += 1) await recent.get([at], ask);
  expect(await recent.get([1], ask)).toBe(2);
  expect(await recent.get([0], ask)).toBe(1_002);
});
