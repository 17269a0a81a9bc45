import { expect, it } from "vitest";
import { isNewer } from "./resource-version.ts";

it.each([
  ["10", "9", true],
  ["9", "10", false],
  ["10", "10", false],
  ["9007199254740993", "9007199254740992", true],
  ["1", undefined, true],
  [undefined, "1", false],
  [undefined, undefined, false],
  ["abc", "10", true],
  ["abc", "abc", false],
])("%s is newer than %s: %s", (version, than, want) => {
  expect(isNewer(version, than)).toBe(want);
});
