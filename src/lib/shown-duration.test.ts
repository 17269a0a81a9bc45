import { describe, expect, it } from "vitest";

import { shownDuration } from "./shown-duration.ts";

const s = 1_000;

describe("a shown length", () => {
  it.each([
    [-5 * s, "0s"],
    [0, "0s"],
    [119 * s, "119s"],
    [120 * s, "2m"],
    [7_199 * s, "119m"],
    [7_200 * s, "2h"],
    [172_799 * s, "47h"],
    [172_800 * s, "2d"],
  ])("%d ms is %s", (lengthMs, want) => {
    expect(shownDuration(lengthMs)).toBe(want);
  });
});
