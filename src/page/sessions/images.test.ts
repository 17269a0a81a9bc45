import { expect, it } from "vitest";
import { imageProblem } from "./images.ts";

const image = (parts: object = {}) => ({ name: "shot.png", type: "image/png", size: 10, ...parts });
const mebi = 1_024 * 1_024;

it.each([
  ["six", Array.from({ length: 6 }, () => image()), undefined],
  ["seven", Array.from({ length: 7 }, () => image()), "a prompt may have at most 6 images"],
  ["10 MiB", [image({ size: 10 * mebi })], undefined],
  ["a byte more", [image({ size: 10 * mebi + 1 })], "shot.png is larger than 10 MiB"],
  ["another type", [image({ type: "image/svg+xml" })], "shot.png is not a PNG, JPEG, WebP or GIF image"],
])("%s", (_, images, want) => {
  expect(imageProblem(images)).toBe(want);
});
