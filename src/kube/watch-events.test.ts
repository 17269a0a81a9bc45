import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LineSplitter } from "./watch-events.ts";

it("puts lines together however the bytes were cut", () => {
  const lines = fc.array(fc.string({ unit: "grapheme", minLength: 1 }).filter((line) => !line.includes("\n")));
  fc.assert(
    fc.property(lines, fc.array(fc.nat(400)), (want, cuts) => {
      const bytes = Buffer.from(want.map((line) => `${line}\n`).join(""), "utf8");
      const splitter = new LineSplitter();
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const have = at.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(at[index], end)));
      expect(have).toEqual(want);
    }),
  );
});

it("keeps a line that has no end yet", () => {
  const splitter = new LineSplitter();
  expect(splitter.push(Buffer.from("a\n\nb"))).toEqual(["a"]);
  expect(splitter.push(Buffer.from("c\n"))).toEqual(["bc"]);
});
