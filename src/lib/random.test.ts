import { expect, it } from "vitest";
import { bytesOfBlocks } from "./random.ts";

/** Blocks whose bytes count up from where the block before ended. */
function counting() {
  const draws: number[] = [];
  let next = 0;
  const draw = (size: number): Buffer => {
    draws.push(size);
    return Buffer.from(Array.from({ length: size }, () => (next += 1) % 251));
  };
  return { draws, bytes: bytesOfBlocks(draw) };
}

it("hands out each byte once, and draws once for many requests", () => {
  const { draws, bytes } = counting();
  expect([...bytes(3), ...bytes(2)]).toEqual([1, 2, 3, 4, 5]);
  expect(draws).toEqual([4_096]);
});

it.each([
  { name: "the rest of a block", size: 4_095, want: [4_096] },
  { name: "one byte more than the rest", size: 4_096, want: [4_096, 4_096] },
  { name: "more than a block", size: 4_097, want: [4_096, 4_097] },
])("has as many bytes as $name", ({ size, want }) => {
  const { draws, bytes } = counting();
  bytes(1);
  expect(bytes(size)).toHaveLength(size);
  expect(draws).toEqual(want);
});
