import { expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { EventBudget } from "./event-budget.ts";

it("gives each object 25 events and one more every 30 s", () => {
  const clock = new FakeClock();
  const budget = new EventBudget(clock);
  const taken = Array.from({ length: 26 }, () => budget.take("a"));
  expect(taken.filter(Boolean)).toHaveLength(25);
  expect(budget.take("b")).toBe(true);
  clock.advance(29_999);
  expect(budget.take("a")).toBe(false);
  clock.advance(1);
  expect([budget.take("a"), budget.take("a")]).toEqual([true, false]);
});
