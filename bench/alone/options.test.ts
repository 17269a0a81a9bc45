import { expect, it } from "vitest";

import { parseOptions } from "./options.ts";

it("measures five rounds of 4,000 of this tree unless told otherwise", () => {
  const files = { program: undefined, beside: undefined, profile: undefined };
  expect(parseOptions([])).toEqual({ deliveries: 4_000, rounds: 5, json: false, ...files });
  const given = ["--output=json", "--deliveries=1", "--rounds=100", "--program=a", "--beside=b", "--profile=c"];
  const taken = { deliveries: 1, rounds: 100, json: true, program: "a", beside: "b", profile: "c" };
  expect(parseOptions(given)).toEqual(taken);
});

it.each(["--output=yaml", "--deliveries=0", "--deliveries=1000001", "--rounds=0", "--rounds=101"])(
  "refuses %s",
  (arg) => {
    expect(() => parseOptions([arg])).toThrow(arg.split("=")[0]);
  },
);
