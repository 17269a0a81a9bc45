import { describe, expect, it, vi } from "vitest";

import { timeZoneOf } from "./time-zone.ts";

const summer = Date.parse("2026-07-01T12:00:00Z");
const hourMs = 3_600_000;

it("knows the offset of a zone at an instant", () => {
  expect(timeZoneOf("Europe/Berlin")?.offsetMs(summer)).toBe(2 * hourMs);
  expect(timeZoneOf("America/St_Johns")?.offsetMs(summer)).toBe(-2.5 * hourMs);
  expect(timeZoneOf("UTC")?.offsetMs(summer)).toBe(0);
});

describe("the format of a zone", () => {
  it("is made once, however its name is written", () => {
    const made = vi.spyOn(Intl, "DateTimeFormat");
    const offsets = ["Australia/Eucla", "australia/eucla", "AUSTRALIA/EUCLA"].map((name) =>
      timeZoneOf(name)?.offsetMs(summer),
    );
    expect(offsets).toEqual([8.75 * hourMs, 8.75 * hourMs, 8.75 * hourMs]);
    expect(made).toHaveBeenCalledTimes(1);
    made.mockRestore();
  });

  it("is not kept for a name that there is not", () => {
    const made = vi.spyOn(Intl, "DateTimeFormat");
    expect(timeZoneOf("Mars/Olympus")).toBeUndefined();
    expect(timeZoneOf("Mars/Olympus")).toBeUndefined();
    expect(made).toHaveBeenCalledTimes(2);
    made.mockRestore();
  });

  it("is not that of a name which becomes the zone's in lower case only", () => {
    expect(timeZoneOf("Asia/Kolkata")).toBeDefined();
    expect(timeZoneOf("Asia/\u212Aolkata")).toBeUndefined();
  });
});
