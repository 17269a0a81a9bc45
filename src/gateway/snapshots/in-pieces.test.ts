import { expect, it } from "vitest";
import { inPieces } from "./in-pieces.ts";

async function* chunksOf(lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let next = 0;
  for (const length of lengths) yield await Promise.resolve(Uint8Array.from({ length }, () => next++));
}

it.each<{ name: string; lengths: number[]; want: number[] }>([
  { name: "nothing", lengths: [], want: [] },
  { name: "empty chunks", lengths: [0, 0], want: [] },
  { name: "one byte less", lengths: [4, 3], want: [7] },
  { name: "exactly one", lengths: [4, 4], want: [8] },
  { name: "one byte more", lengths: [4, 5], want: [8, 1] },
  { name: "a chunk of several", lengths: [1, 24], want: [8, 8, 8, 1] },
  { name: "chunks of the size", lengths: [8, 8], want: [8, 8] },
  { name: "many small ones", lengths: [3, 3, 3, 3, 3, 3], want: [8, 8, 2] },
])("gives pieces of 8 bytes of $name", async ({ lengths, want }) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of inPieces(chunksOf(lengths), 8)) pieces.push(piece);
  expect(pieces.map((piece) => piece.length)).toEqual(want);
  expect([...Buffer.concat(pieces)]).toEqual(Array.from({ length: want.reduce((a, b) => a + b, 0) }, (_, at) => at));
});
