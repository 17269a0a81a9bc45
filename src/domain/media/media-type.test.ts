import { expect, it } from "vitest";
import { attachedTypeOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0));
const box = (brand: string, { size = 16, type = "ftyp" } = {}): Uint8Array =>
  bytes(`\0\0\0${String.fromCharCode(size)}${type}${brand}\0\0\0\0`);

it.each<[string, Uint8Array, string | undefined]>([
  ["PNG", bytes("\x89PNG\r\n\x1a\n"), "image/png"],
  ["JPEG", bytes("\xff\xd8\xff\xe0"), "image/jpeg"],
  ["GIF", bytes("GIF89a"), "image/gif"],
  ["WebP", bytes("RIFF\0\0\0\0WEBP"), "image/webp"],
  ["MP4", box("isom"), "video/mp4"],
  ["MP4 of another brand", box("mp42"), "video/mp4"],
  ["QuickTime", box("qt  "), undefined],
  ["HEIC", box("heic"), undefined],
  ["a box of another type", box("isom", { type: "free" }), undefined],
  ["a box that is too small for a brand", box("isom", { size: 15 }), undefined],
  ["a box that is larger than the file", box("isom", { size: 17 }), undefined],
  ["a byte less than the box", box("isom").subarray(0, 15), undefined],
  ["SVG", bytes("<svg xmlns='http://www.w3.org/2000/svg'/>"), undefined],
  ["text", bytes("hello"), undefined],
  ["nothing", bytes(""), undefined],
])("knows %s", (_, content, want) => expect(attachedTypeOf(content)).toBe(want));

it("reads a view of a larger buffer at its own place", () => {
  const all = new Uint8Array(40);
  all.set(box("isom"), 20);
  expect(attachedTypeOf(all.subarray(20, 36))).toBe("video/mp4");
});
