import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("takes ten rounds of 20 at 5 a second, and what is said otherwise", () => {
  expect(parseOptions([])).toEqual({ rounds: 10, deliveries: 20, beside: 5, perSecond: 5, json: false });
  const args = ["--output", "json", "--rounds", "100", "--deliveries=40", "--beside=40", "--per-second", "1"];
  expect(parseOptions(args)).toEqual({ rounds: 100, deliveries: 40, beside: 40, perSecond: 1, json: true });
});

it.each(["--output=yaml", "--rounds=0", "--rounds=101", "--deliveries=41", "--beside=41", "--per-second=6"])(
  "refuses %s",
  (arg) => {
    expect(() => parseOptions([arg])).toThrow(arg.split("=")[0]);
  },
);
