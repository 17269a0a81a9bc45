import { describe, expect, it } from "vitest";

import { parseDuration, shownAge } from "./age.ts";

const s = 1_000;

it("shows an age, or nothing", () => {
  const now = new Date("2026-05-04T10:15:00Z");
  expect(shownAge("2026-05-04T10:14:30Z", now)).toBe("30s");
  expect(shownAge(undefined, now)).toBe("");
});

describe("a length that was written", () => {
  it.each([
    ["90s", 90 * s],
    ["15m", 900 * s],
    ["1h30m", 5_400 * s],
    ["2d", 172_800 * s],
    ["0s", 0],
  ])("%s", (text, want) => {
    expect(parseDuration(text)).toBe(want);
  });

  it.each(["", "1", "h", "1w", "-1h", "1.5h", " 1h", "1h ", "1234567890s"])("%s is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
