import { expect, it } from "vitest";

import { takeFlags } from "./flags.ts";

it.each([
  { given: ["apiserver", "test/apiserver/run"], want: { args: ["apiserver", "test/apiserver/run"], isAll: false } },
  { given: ["--all"], want: { args: [], isAll: true } },
  { given: ["--kubernetes", "1.36"], want: { args: [], isAll: false, version: "1.36" } },
  { given: ["--kubernetes=1.34", "apiserver"], want: { args: ["apiserver"], isAll: false, version: "1.34" } },
  {
    given: ["--all", "--kubernetes", "1.36", "-t", "a"],
    want: { args: ["-t", "a"], isAll: true, version: "1.36" },
  },
])("$given is $want", ({ given, want }) => {
  expect(takeFlags(given)).toEqual(want);
});

it.each([[["--kubernetes"]], [["--kubernetes="]], [["--kubernetes", "-t"]], [["--kubernetes", "--all"]]])(
  "%o lacks the version",
  (given) => {
    expect(() => takeFlags(given)).toThrow("--kubernetes needs a minor version, such as --kubernetes 1.36");
  },
);
