import { expect, it } from "vitest";
import { countCharacters } from "../../lib/characters.ts";
import { shownFileName } from "./file-name.ts";
import { mediaName, parseMediaName } from "./media-name.ts";

it.each([
  ["chart.png", "image/png", "chart.png"],
  ["Chart.PNG", "image/png", "Chart.PNG"],
  ["photo.jpg", "image/jpeg", "photo.jpg"],
  ["photo.jpeg", "image/jpeg", "photo.jpeg"],
  ["chart.txt", "image/png", "chart.txt.png"],
  ["evil\u202egnp.exe", "image/png", "evilgnp.exe.png"],
  ["../../etc/passwd", "video/mp4", "passwd.mp4"],
  ["C:\\temp\\clip.mp4", "video/mp4", "clip.mp4"],
  ["a\nb\u0007.png", "image/png", "a b.png"],
  [".png", "image/png", "file.png"],
  ["", "image/gif", "file.gif"],
  [" \u200f ", "image/webp", "file.webp"],
] as const)("shows %j of %s as %j", (name, type, want) => expect(shownFileName(name, type)).toBe(want));

it.each([
  [95, 99],
  [96, 100],
  [97, 100],
])("of %d characters before the ending keeps %d in all", (length, want) => {
  const shown = shownFileName(`${"𝄞".repeat(length)}.png`, "image/png");
  expect([countCharacters(shown), shown.endsWith(".png"), shown.isWellFormed()]).toEqual([want, true, true]);
});

it("reads the names that it gives, and no others", () => {
  const file = { digest: `sha256:${"a".repeat(64)}`, mediaType: "video/mp4" } as const;
  expect(parseMediaName(mediaName(file))).toEqual(file);
  for (const name of [
    `${"a".repeat(63)}.mp4`,
    `${"a".repeat(64)}.exe`,
    `${"A".repeat(64)}.mp4`,
    `../${"a".repeat(64)}.mp4`,
  ])
    expect(parseMediaName(name)).toBeUndefined();
});
