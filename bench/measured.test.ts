import { expect, it } from "vitest";

import { failuresOf, readMeasured } from "./measured.ts";

const measured = { count: 2, failures: {}, perSecond: 10, p50Ms: 1, p99Ms: 2, cpuMs: 0.1 };

it("takes what a generator measured", () => {
  expect(readMeasured("post", JSON.stringify(measured))).toEqual(measured);
});

it("counts answers that were not wanted, as long as they are the fewer", () => {
  const failures = { "answered 503": 1, "no answer": 1 };
  expect(failuresOf(readMeasured("post", JSON.stringify({ ...measured, failures })))).toBe(2);
});

it.each([
  {
    name: "mostly unwanted answers",
    given: { ...measured, failures: { "answered 429": 3 } },
    want: "post: 3 times answered 429",
  },
  { name: "nothing done", given: { ...measured, count: 0 }, want: "post: nothing was done" },
])("does not call $name a measurement", ({ given, want }) => {
  expect(() => readMeasured("post", JSON.stringify(given))).toThrow(want);
});
