import { globSync } from "node:fs";

import { expect, it } from "vitest";

import { slowFirst } from "./slowest-first.ts";

it("goes from the slow files over the others to those that leave much, each in the order that they had", () => {
  const files = ["run/deadlines", "a", "contract/people-api", "b", "whole/crashes"].map((name) => `/p/${name}.test.ts`);
  expect(slowFirst(files, (file) => file)).toEqual([2, 4, 1, 3, 0].map((at) => files[at]));
});

it("knows these files by paths that are there", () => {
  const all = globSync("test/**/*.test.ts", { cwd: new URL("../..", import.meta.url) }).map((file) => `/${file}`);
  const ordered = slowFirst(all, (file) => file);
  expect([ordered.slice(0, 5).sort(), ordered.slice(-2).sort()]).toEqual([
    [
      "/test/apiserver/gateway/faults.test.ts",
      "/test/apiserver/gateway/sandbox-work.test.ts",
      "/test/apiserver/image/builds.test.ts",
      "/test/apiserver/whole/crashes.test.ts",
      "/test/contract/people-api.test.ts",
    ],
    ["/test/apiserver/model/sequences.test.ts", "/test/apiserver/run/deadlines.test.ts"],
  ]);
});
