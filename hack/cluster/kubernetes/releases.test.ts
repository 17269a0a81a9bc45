import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { chosenRelease, ownRelease, releaseVariable, kubernetesReleases } from "./releases.ts";

describe("chosenRelease", () => {
  it.each(Object.keys(kubernetesReleases))("gives the release of %s", (minor) => {
    expect(chosenRelease({ [releaseVariable]: minor })?.version).toMatch(
      new RegExp(`^${minor.replace(".", "\\.")}\\.`),
    );
  });

  it.each([{}, { [releaseVariable]: "" }])("gives none for %o", (environment) => {
    expect(chosenRelease(environment)).toBeUndefined();
  });

  it.each(["1.33", "1.35.1", "toString"])("refuses %s and says which there are", (version) => {
    const sentence = `there is no Kubernetes "${version}" here: tests can run against 1.34, 1.35, 1.36`;
    expect(() => chosenRelease({ [releaseVariable]: version })).toThrow(sentence);
  });
});

describe.each(Object.entries(kubernetesReleases))("Kubernetes %s", (minor, { version, modules, envtest }) => {
  it("is built from the modules of its release", async () => {
    const text = await readFile(join(import.meta.dirname, modules), "utf8");
    expect(text).toContain(`\tk8s.io/kubernetes v${version}\n`);
    expect(text).toContain(`\tk8s.io/apiserver => k8s.io/apiserver v0.${version.slice(2)}\n`);
  });

  it("is downloaded in the same minor version", () => {
    expect(envtest.version.startsWith(`${minor}.`)).toBe(true);
  });
});

it("the chart asks for no older one than the local cluster's, which all levels run on", async () => {
  const chart = join(import.meta.dirname, "..", "..", "..", "charts", "runwright", "Chart.yaml");
  const { kubeVersion } = parse(await readFile(chart, "utf8")) as { kubeVersion: string };
  expect(kubeVersion).toBe(`>=${ownRelease.version.replace(/\.\d+$/, "")}.0-0`);
});
