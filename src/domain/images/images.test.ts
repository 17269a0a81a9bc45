import { expect, it } from "vitest";

import { digestOf, imageName, parseImageName } from "./image-key.ts";
import { mediaTypeOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

it.each([
  { name: "a PNG", content: "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", want: "image/png" },
  { name: "nothing but a PNG's signature", content: "\x89PNG\r\n\x1a\n", want: "image/png" },
  { name: "a PNG's signature without its last byte", content: "\x89PNG\r\n\x1a", want: undefined },
  { name: "a PNG that went through a text mode", content: "\x89PNG\n\x1a\n\0\0\0\rIHDR", want: undefined },
  { name: "a JPEG", content: "\xff\xd8\xff\xe0\0\x10JFIF", want: "image/jpeg" },
  { name: "a JPEG with Exif data", content: "\xff\xd8\xff\xe1", want: "image/jpeg" },
  { name: "two bytes of a JPEG", content: "\xff\xd8", want: undefined },
  { name: "a GIF of 1987", content: "GIF87a", want: "image/gif" },
  { name: "a GIF of 1989", content: "GIF89a\x01\0", want: "image/gif" },
  { name: "a GIF of 1988", content: "GIF88a", want: undefined },
  { name: "a WebP", content: "RIFF\n\0\r\xffWEBPVP8 ", want: "image/webp" },
  { name: "sound in the same container", content: "RIFF\x24\0\0\0WAVEfmt ", want: undefined },
  { name: "a WebP that is cut off", content: "RIFF\x24\0\0\0WEB", want: undefined },
  { name: "a drawing", content: '<svg xmlns="http://www.w3.org/2000/svg"/>', want: undefined },
  { name: "a PNG behind a space", content: " \x89PNG\r\n\x1a\n", want: undefined },
  { name: "nothing", content: "", want: undefined },
])("sees that $name is $want", ({ content, want }) => {
  expect(mediaTypeOf(bytes(content))).toBe(want);
});

const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

it("names an image by its content and reads the name back", async () => {
  expect(await digestOf(bytes(""))).toBe(empty);
  const image = { digest: empty, mediaType: "image/jpeg" } as const;
  expect(imageName(image)).toBe(`${empty.slice(7)}.jpeg`);
  expect(parseImageName(imageName(image))).toEqual(image);
});

it.each([
  "",
  "x.png",
  `${"a".repeat(63)}.png`,
  `${"a".repeat(65)}.png`,
  `${"A".repeat(64)}.png`,
  `${"a".repeat(64)}.svg`,
])("sees that %j names no image", (name) => {
  expect(parseImageName(name)).toBeUndefined();
});
