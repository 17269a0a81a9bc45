import { expect, it } from "vitest";
import type { PoolFacts } from "./facts.ts";
import { NewlyWaiting } from "./newly-waiting.ts";

function waitingAt(): (nowMs: number, given: { waiting: number; shown: number; places?: number }) => number {
  let nowMs = 0;
  const newly = new NewlyWaiting({ monotonicMs: () => nowMs });
  return (instant, { waiting, shown, places = 10 }) => {
    nowMs = instant;
    const members = Array.from({ length: 5 }, (_, index) => ({ isWaiting: index < waiting }));
    const pool = { spec: { replicas: 5 }, status: { readyReplicas: shown } };
    return newly.dueInMs("shop/warm", { pool, members, room: { places, why: "" } } as unknown as PoolFacts);
  };
}

it("is due a second after one more was seen to wait, however many more do by then", () => {
  const at = waitingAt();
  expect(at(100, { waiting: 1, shown: 0 })).toBe(1_000);
  expect(at(600, { waiting: 3, shown: 0 })).toBe(500);
  expect(at(1_099, { waiting: 4, shown: 0 })).toBe(1);
  expect(at(1_100, { waiting: 4, shown: 0 })).toBe(0);
});

it.each([
  { what: "all that are wanted wait", given: { waiting: 5, shown: 1 } },
  { what: "all that the class has places for wait", given: { waiting: 2, shown: 1, places: 2 } },
  { what: "fewer wait than are shown", given: { waiting: 1, shown: 3 } },
  { what: "as many wait as are shown", given: { waiting: 3, shown: 3 } },
])("is due at once where $what", ({ given }) => {
  expect(waitingAt()(0, given)).toBe(0);
});

it("begins anew once it was shown", () => {
  const at = waitingAt();
  at(0, { waiting: 1, shown: 0 });
  expect(at(1_000, { waiting: 1, shown: 0 })).toBe(0);
  at(1_001, { waiting: 1, shown: 1 });
  expect(at(5_000, { waiting: 2, shown: 1 })).toBe(1_000);
});
