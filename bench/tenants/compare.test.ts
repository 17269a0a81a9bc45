import { expect, it } from "vitest";

import { compare } from "./compare.ts";

const well = (...ms: number[]) => ({ ms, failures: [] });

it("gives the medians of the rounds, and the ratio of each round's p99 beside the attack to that beside raw requests", () => {
  const rounds = [
    { alone: well(1, 2), raw: well(5, 10), attack: well(10, 20) },
    { alone: well(1, 3), raw: well(5, 10), attack: { ms: [10, 15], failures: ["answered 503"] } },
    { alone: well(2, 4), raw: well(5, 20), attack: well(10, 60) },
  ];
  expect(compare(rounds)).toEqual({
    alone: { count: 6, p50Ms: 1, p99Ms: 3, failures: [] },
    raw: { count: 6, p50Ms: 5, p99Ms: 10, failures: [] },
    attack: { count: 6, p50Ms: 10, p99Ms: 20, failures: ["answered 503"] },
    ratio: 2,
    ratioSpread: { min: 1.5, max: 3 },
  });
});
