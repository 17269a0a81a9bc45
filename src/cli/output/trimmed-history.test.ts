import { expect, it } from "vitest";
import { TrimmedHistory, trimmedNotes } from "./trimmed-history.ts";

it.each([
  ["a millisecond before what is listed", 999, []],
  ["when what is listed begins", 1_000, ["cut"]],
  ["a millisecond later", 1_001, ["cut"]],
])("history that was cut %s is told as it touches the list", (_, since, want) => {
  expect(trimmedNotes([{ since, message: "cut" }], 1_000)).toEqual(want);
});

it("nothing is told of a gateway that does not say it", () => {
  expect(trimmedNotes(TrimmedHistory.parse(undefined), 0)).toEqual([]);
});
