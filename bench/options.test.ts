import { expect, it } from "vitest";

import { parseOptions } from "./options.ts";

it("measures three rounds of five seconds unless told otherwise", () => {
  expect(parseOptions([])).toEqual({ seconds: 5, rounds: 3, json: false, profile: undefined });
  const given = ["--output", "json", "--seconds", "1", "--rounds", "7", "--profile", "there"];
  expect(parseOptions(given)).toEqual({ seconds: 1, rounds: 7, json: true, profile: "there" });
});

it.each([
  { args: ["--seconds", "0"], want: "--seconds" },
  { args: ["--rounds", "1.5"], want: "--rounds" },
  { args: ["--output", "xml"], want: "--output" },
])("refuses $args by name", ({ args, want }) => {
  expect(() => parseOptions(args)).toThrow(want);
});
