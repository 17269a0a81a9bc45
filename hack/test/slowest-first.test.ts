import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { crowdingFiles, slowFiles, slowFirst } from "./slowest-first.ts";

it("goes from the slow files over the others to those that leave much, each in the order that they had", () => {
  const [slow, other] = slowFiles as [string, string];
  const files = [crowdingFiles[0], "a.test.ts", slow, "b.test.ts", other].map((name) => `/project/${name}`);
  expect(slowFirst(files, (file) => file)).toEqual([2, 4, 1, 3, 0].map((at) => files[at]));
});

it.each([...slowFiles, ...crowdingFiles])("%s is there", (file) => {
  expect(existsSync(join(import.meta.dirname, "..", "..", file))).toBe(true);
});
