import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { run } from "../../hack/lib/command.ts";
import { testCluster } from "../support/cluster.ts";
import { parseManifests } from "../support/manifests.ts";

const folder = join(import.meta.dirname, "..", "..", "manifests");

it("the Kustomize base has every object of install.yaml, the namespace first", async () => {
  const nameOf = ({ kind, metadata }: ReturnType<typeof parseManifests>[number]): string =>
    `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
  const installed = parseManifests(await readFile(join(folder, "install.yaml"), "utf8")).map(nameOf);
  const based = parseManifests(await run(testCluster().kubectl, ["kustomize", folder])).map(nameOf);
  expect(new Set(based)).toEqual(new Set(installed));
  expect(based).toHaveLength(installed.length);
  expect(installed[0]).toBe("Namespace /runwright-system");
});
