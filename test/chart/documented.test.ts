import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Deployment } from "../support/core-resources.ts";
import { renderChart } from "./support/render.ts";

const root = join(import.meta.dirname, "..", "..");
const inClaim = { "gateway.blobStore.directory.volume": "persistentVolumeClaim" };

describe.each(["README.md", join("docs", "internals", "architecture.md")])("%s", (page) => {
  it("draws as many of each process as there are by default", async () => {
    const text = await readFile(join(root, page), "utf8");
    const drawn = [...text.matchAll(/\b(ingress|gateway|controller) ×(\d+)/g)].map(([, process, count]) => [
      process,
      Number(count),
    ]);
    const there = (await renderChart()).ofKind<Deployment>("Deployment").map(({ metadata, spec }) => {
      return [metadata.labels?.["app.kubernetes.io/component"], spec?.replicas];
    });
    expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(there));
  });
});

it("the page about installing names what an uninstall keeps", async () => {
  const [, section = ""] = (await readFile(join(root, "docs", "operate", "install.md"), "utf8")).split(
    "\n## Uninstall\n",
  );
  const kept = (await renderChart({ values: inClaim })).all
    .map(({ metadata }) => metadata as { name: string; annotations?: Record<string, string> })
    .filter(({ annotations }) => annotations?.["helm.sh/resource-policy"] === "keep");
  expect(kept.map(({ name }) => name).sort()).toEqual([
    "runwright-gateway-archive",
    "runwright-gateway-blobs",
    "runwright-system-runwright-keys",
  ]);
  for (const { name } of kept) expect(section).toContain(name);
  expect(section).toContain("kubectl delete -f charts/runwright/crds");
});
