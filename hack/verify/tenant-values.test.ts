import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { notShared, places, type Primitive, uses } from "./tenant-values.ts";

const root = join(import.meta.dirname, "..", "..");

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith(".ts") && !notShared.test(file));

function usedIn(file: string): Primitive[] {
  const text = readFileSync(join(root, file), "utf8");
  return Object.entries(uses)
    .filter(([, pattern]) => pattern.test(text))
    .map(([primitive]) => primitive as Primitive);
}

it("every place where a tenant's value may meet crypto, zlib, URL or RegExp is listed with its bound, and no other", () => {
  const found = files.map((file) => [file, usedIn(file)] as const).filter(([, used]) => used.length > 0);
  const listed = Object.entries(places).map(([file, place]) => [file, place.uses]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(found));
});
