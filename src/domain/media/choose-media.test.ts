import { expect, it } from "vitest";
import { chooseMedia } from "./choose-media.ts";

const mebibyte = 1_048_576;

it.each<[name: string, sizes: number[], sent: number[], leftOut: number]>([
  ["none", [], [], 0],
  ["6 small ones", [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1], 1],
  ["all of 25 MiB", [10, 10, 5], [10, 10, 5], 0],
  ["one that passes 25 MiB, and a smaller one after it", [10, 10, 6, 5], [10, 10, 5], 1],
  ["one over 10 MiB", [11, 1], [1], 1],
  ["five over 10 MiB, and a sixth that is never looked at", [11, 11, 11, 11, 11, 1], [], 6],
  ["a byte over 10 MiB", [10 + 1 / mebibyte], [], 1],
  ["exactly 10 MiB", [10], [10], 0],
  ["a byte below 25 MiB", [10, 10, 5 - 1 / mebibyte], [10, 10, 5 - 1 / mebibyte], 0],
  ["a byte over 25 MiB", [10, 10, 5 + 1 / mebibyte], [10, 10], 1],
])("of %s sends and tells", (_, sizes, sent, leftOut) => {
  const files = sizes.map((size, at) => ({ id: String(at), bytes: size * mebibyte }));
  const chosen = chooseMedia(files);
  expect([chosen.sent.map(({ bytes }) => bytes / mebibyte), chosen.leftOut]).toEqual([sent, leftOut]);
});

it("counts a file once that is attached again, in its first place", () => {
  const files = ["a", "b", "a", "c", "d", "b", "e", "f"].map((id) => ({ id, bytes: 1 }));
  const { sent, leftOut } = chooseMedia(files);
  expect([sent.map(({ id }) => id), leftOut]).toEqual([["a", "b", "c", "d", "e"], 1]);
});
