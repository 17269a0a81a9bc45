import { expect, it } from "vitest";

import { attackNames } from "./attack-names.ts";
import { parseOptions } from "./options.ts";

it("measures every attack unless some are named", () => {
  expect(parseOptions([])).toMatchObject({ seconds: 15, rounds: 3, attacks: attackNames, json: false });
  const args = ["--attack", "events", "--attack", "images", "--output", "json", "--seconds", "2", "--rounds", "1"];
  expect(parseOptions(args)).toMatchObject({ seconds: 2, rounds: 1, attacks: ["events", "images"], json: true });
});

it.each([
  [["--attack", "none"], '--attack is "none", but it must be one of sandboxes, connections'],
  [["--seconds", "0"], '--seconds is "0", but it must be a whole number of at least 1'],
  [["--rounds", "1.5"], '--rounds is "1.5", but it must be a whole number of at least 1'],
  [["--output", "yaml"], '--output is "yaml", but it must be json or text'],
])("refuses %j", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
