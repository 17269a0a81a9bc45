import { expect, it } from "vitest";
import { EventsQuery } from "./event-paths.ts";

it.each([
  ["", undefined],
  ["0", undefined],
  ["1", 1],
  ["262144", 262_144],
  ["1048575", 1_048_575],
  ["1048576", 1_048_576],
  ["1048577", undefined],
  ["9999999999999999999", undefined],
  ["-1", undefined],
  ["1.0", undefined],
  ["1e3", undefined],
  ["01", undefined],
  [" 1", undefined],
])("the last %j bytes are %j", (last, want) => {
  expect(EventsQuery.safeParse({ last }).data?.last).toBe(want);
});

it.each([
  ["1.1", { attempt: 1, seq: 1 }],
  ["9999999.9007199254740991", { attempt: 9_999_999, seq: 9_007_199_254_740_991 }],
  ["12.345", { attempt: 12, seq: 345 }],
  ["10000000.1", undefined],
  ["0.1", undefined],
  ["1.0", undefined],
  ["1", undefined],
  ["1.1.1", undefined],
  ["", undefined],
])("before %j is %j", (before, want) => {
  expect(EventsQuery.safeParse({ before }).data?.before).toEqual(want);
});

it("gives all events and waits for more where nothing is asked", () => {
  expect(EventsQuery.parse({})).toEqual({ follow: true });
});
