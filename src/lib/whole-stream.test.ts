import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { BrokenOffError, longestPiece, markWhole, whole } from "./whole-stream.ts";

const pieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

const marked = (said: Buffer): Promise<Buffer> => buffer(Readable.from(markWhole(Readable.from([said]))));

it.each([1, 3, 16, 64, 1_000])("gives back what was sent whole, in pieces of %i bytes", async (size) => {
  const said = Buffer.from("content runwright:whole\n more".repeat(7));
  const got = await buffer(Readable.from(whole(Readable.from(pieces(await marked(said), size)))));
  expect(got.toString()).toBe(said.toString());
});

it.each(["runwright:who", "runwright:whole\n", "runwright:whole", "r", "x"])(
  "gives back content that ends with %j, however it is cut",
  async (said) => {
    const sent = await marked(Buffer.from(said));
    for (let at = 0; at <= sent.length; at += 1) {
      const cut = Readable.from([sent.subarray(0, at), sent.subarray(at)]);
      expect(String(await buffer(Readable.from(whole(cut))))).toBe(said);
    }
  },
);

it("passes content on before more of it comes", async () => {
  const endless = new Readable({ read: () => undefined });
  endless.push("content runwright:who");
  expect(String((await whole(endless).next()).value)).toBe("content ");
});

it.each([0, 1, 15, 16, 40])("refuses a stream that lacks its last bytes: %i are there", async (length) => {
  const sent = await marked(Buffer.alloc(25, "x"));
  await expect(buffer(Readable.from(whole(Readable.from([sent.subarray(0, length)]))))).rejects.toThrow(BrokenOffError);
});

it("does not say that a stream was whole when it is not confirmed", async () => {
  const unconfirmed = markWhole(Readable.from([Buffer.from("x")]), () => Promise.reject(new Error("failed")));
  await expect(buffer(Readable.from(unconfirmed))).rejects.toThrow("failed");
});

it.each([
  { bytes: longestPiece - 1, want: [longestPiece - 1] },
  { bytes: longestPiece, want: [longestPiece] },
  { bytes: longestPiece + 1, want: [longestPiece, 1] },
])("passes a piece of $bytes bytes on in pieces of $want", async ({ bytes, want }) => {
  const lengths: number[] = [];
  for await (const piece of markWhole(Readable.from([Buffer.alloc(bytes)]))) lengths.push(piece.length);
  expect(lengths.slice(0, -1)).toEqual(want);
});

it("passes pieces on as they are where any length may be", async () => {
  const lengths: number[] = [];
  const all = Readable.from([Buffer.alloc(10 * longestPiece), Buffer.alloc(1)]);
  for await (const piece of markWhole(all, undefined, Infinity)) lengths.push(piece.length);
  expect(lengths.slice(0, -1)).toEqual([10 * longestPiece, 1]);
});
