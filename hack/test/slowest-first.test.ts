import { globSync } from "node:fs";

import { expect, it } from "vitest";

import { slowFirst } from "./slowest-first.ts";

it("goes from the slow files to the others, each in the order that they had", () => {
  const files = ["/p/a.test.ts", "/p/contract/people-api.test.ts", "/p/b.test.ts", "/p/whole/crashes.test.ts"];
  expect(slowFirst(files, (file) => file)).toEqual([files[1], files[3], files[0], files[2]]);
});

it("knows slow files by paths that are there", () => {
  const all = globSync("test/**/*.test.ts", { cwd: new URL("../..", import.meta.url) }).map((file) => `/${file}`);
  expect(
    slowFirst(all, (file) => file)
      .slice(0, 6)
      .sort(),
  ).toEqual([
    "/test/apiserver/gateway/faults.test.ts",
    "/test/apiserver/gateway/sandbox-work.test.ts",
    "/test/apiserver/model/sequences.test.ts",
    "/test/apiserver/run/deadlines.test.ts",
    "/test/apiserver/whole/crashes.test.ts",
    "/test/contract/people-api.test.ts",
  ]);
});
