import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecesOf } from "./pieces.ts";

const at = (text: string): number => Date.parse(`2026-03-${text}Z`);

describe("pieces of a window", () => {
  it.each([
    {
      name: "days in the middle, hours, and edges",
      from: "01T12:30:00",
      until: "04T03:15:00",
      want: [
        ["edge", "01T12:30:00", "01T13:00:00"],
        ["hour", "01T13:00:00", "02T00:00:00"],
        ["day", "02T00:00:00", "04T00:00:00"],
        ["hour", "04T00:00:00", "04T03:00:00"],
        ["edge", "04T03:00:00", "04T03:15:00"],
      ],
    },
    {
      name: "whole days alone",
      from: "01T00:00:00",
      until: "03T00:00:00",
      want: [["day", "01T00:00:00", "03T00:00:00"]],
    },
    {
      name: "no whole day",
      from: "01T12:00:00",
      until: "02T11:59:59.999",
      want: [
        ["hour", "01T12:00:00", "02T11:00:00"],
        ["edge", "02T11:00:00", "02T11:59:59.999"],
      ],
    },
    {
      name: "no whole hour",
      from: "01T12:30:00",
      until: "01T13:29:00",
      want: [["edge", "01T12:30:00", "01T13:29:00"]],
    },
    { name: "nothing", from: "01T12:30:00", until: "01T12:30:00", want: [] },
    {
      name: "less than nothing: the clock is behind the namespace",
      from: "02T00:00:00",
      until: "01T00:00:00",
      want: [],
    },
  ])("$name", ({ from, until, want }) => {
    expect(piecesOf(at(from), at(until))).toEqual(
      want.map(([of, fromText = "", untilText = ""]) => ({ of, fromMs: at(fromText), untilMs: at(untilText) })),
    );
  });

  it("adjoin each other and are the window", () => {
    const instant = fc.integer({ min: 0, max: 10 * 86_400_000 });
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        const [fromMs, untilMs] = [Math.min(one, other), Math.max(one, other)];
        const pieces = piecesOf(fromMs, untilMs);
        expect([fromMs, ...pieces.map((piece) => piece.untilMs)]).toEqual([
          ...pieces.map((piece) => piece.fromMs),
          untilMs,
        ]);
      }),
    );
  });
});
