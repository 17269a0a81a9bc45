import { expect, it } from "vitest";

import { takeKubernetesVersion } from "./kubernetes-version.ts";

it.each([
  { given: ["apiserver", "test/apiserver/run"], args: ["apiserver", "test/apiserver/run"], version: undefined },
  { given: ["--kubernetes", "1.36"], args: [], version: "1.36" },
  { given: ["--kubernetes=1.34", "apiserver"], args: ["apiserver"], version: "1.34" },
  { given: ["apiserver", "--kubernetes", "1.36", "-t", "a"], args: ["apiserver", "-t", "a"], version: "1.36" },
])("$given is $version and $args", ({ given, args, version }) => {
  const taken = takeKubernetesVersion(given);
  expect(taken.args).toEqual(args);
  expect(taken.version).toBe(version);
});

it.each([[["--kubernetes"]], [["--kubernetes="]], [["--kubernetes", "-t"]]])("%o lacks the version", (given) => {
  expect(() => takeKubernetesVersion(given)).toThrow("--kubernetes needs a minor version, such as --kubernetes 1.36");
});
