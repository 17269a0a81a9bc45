import { expect, it } from "vitest";
import { sideBySide } from "./side-by-side.ts";

it("shows both times of each stage in one line, and which were not seen", () => {
  const cold = { accepted: 35, containerStarted: 1_204, promptStarted: 2_103, finished: 4_000 };
  const lines = sideBySide(cold, { accepted: 8, promptStarted: 190, finished: 1_900 }).split("\n");
  const cells = lines.map((line) => line.split(/ {2,}/));
  expect(cells[0]).toEqual(["after", "its own sandbox", "one that waited"]);
  expect(cells).toContainEqual(["accepted", "35 ms", "8 ms"]);
  expect(cells).toContainEqual(["containerStarted", "1204 ms", "not seen"]);
  expect(cells).toContainEqual(["promptStarted", "2103 ms", "190 ms"]);
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
});
