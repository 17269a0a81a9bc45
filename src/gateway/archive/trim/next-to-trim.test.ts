import { expect, it } from "vitest";

import { nextToTrim } from "./next-to-trim.ts";

const sizes = new Map([
  ["small", 10],
  ["large", 30],
  ["middle", 20],
]);

it.each([
  { name: "none below and at the budgets", bounds: { namespace: 30, total: 60 }, want: undefined },
  {
    name: "a namespace above its own",
    bounds: { namespace: 29, total: 10 },
    want: { namespace: "large", budget: "namespace", bound: 29, bytes: 1 },
  },
  {
    name: "the one that has most, where all have too much",
    bounds: { namespace: 30, total: 59 },
    want: { namespace: "large", budget: "total", bound: 59, bytes: 1 },
  },
  {
    name: "the next one, where that one has nothing left to delete",
    bounds: { namespace: 30, total: 59 },
    passedOver: ["large"],
    want: { namespace: "middle", budget: "total", bound: 59, bytes: 1 },
  },
  {
    name: "none, where no one has anything left to delete",
    bounds: { namespace: 0, total: 0 },
    passedOver: ["small", "large", "middle"],
    want: undefined,
  },
  { name: "none without bounds", bounds: { namespace: Infinity, total: Infinity }, want: undefined },
])("$name", ({ bounds, passedOver = [], want }) => {
  expect(nextToTrim(sizes, bounds, new Set(passedOver))).toEqual(want);
});
