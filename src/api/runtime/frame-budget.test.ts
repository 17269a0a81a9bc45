import { expect, it } from "vitest";
import { protocolLimits } from "./limits.ts";
import { FrameBudget } from "./frame-budget.ts";

const taken = (budget: FrameBudget, nowMs: number): number => {
  let count = 0;
  while (budget.take(nowMs)) count += 1;
  return count;
};

it("takes a burst at once and then the steady rate, saved up to a burst", () => {
  const budget = new FrameBudget(protocolLimits.frames, 0);
  expect(taken(budget, 0)).toBe(protocolLimits.frames.burst);
  expect(taken(budget, 1_000)).toBe(protocolLimits.frames.perSecond);
  expect(taken(budget, 1_019)).toBe(0);
  expect(taken(budget, 1_020)).toBe(1);
  expect(taken(budget, 1_000_000)).toBe(protocolLimits.frames.burst);
});

it("says when there will be so many", () => {
  const budget = new FrameBudget(protocolLimits.frames, 0);
  expect(budget.msUntil(0, protocolLimits.frames.burst)).toBe(0);
  budget.take(0, protocolLimits.frames.burst);
  expect([1, 50, 512].map((frames) => budget.msUntil(0, frames))).toEqual([20, 1_000, 10_240]);
  expect(budget.msUntil(400, 20)).toBe(0);
  expect(budget.msUntil(400, 21)).toBe(20);
});
