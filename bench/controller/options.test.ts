import { expect, it } from "vitest";

import { parseOptions } from "./options.ts";

it("measures three rounds of a thousand Runs, 32 at once, unless told otherwise", () => {
  expect(parseOptions([])).toEqual({ runs: 1_000, rounds: 3, inFlight: 32, json: false, profile: undefined });
  const args = ["--runs", "200", "--rounds", "1", "--in-flight", "8", "--output", "json", "--profile", "there"];
  expect(parseOptions(args)).toEqual({ runs: 200, rounds: 1, inFlight: 8, json: true, profile: "there" });
});

it.each([
  [["--runs", "0"], '--runs is "0", but it must be a whole number from 1 to 100000'],
  [["--runs", "100001"], '--runs is "100001", but it must be a whole number from 1 to 100000'],
  [["--rounds", "1.5"], '--rounds is "1.5", but it must be a whole number from 1 to 100'],
  [["--in-flight", "1001"], '--in-flight is "1001", but it must be a whole number from 1 to 1000'],
  [["--output", "yaml"], '--output is "yaml", but it must be json or text'],
])("refuses %j", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

it.each([
  ["--runs", 1, 100_000],
  ["--rounds", 1, 100],
  ["--in-flight", 1, 1_000],
])("takes %s from %d to %d", (flag, least, most) => {
  expect(() => [least, most].map((count) => parseOptions([flag, String(count)]))).not.toThrow();
});
