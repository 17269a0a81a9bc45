import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Deployment } from "../../src/kube/core-resources.ts";
import { renderChart } from "./support/render.ts";

const root = join(import.meta.dirname, "..", "..");

describe.each(["README.md", join("docs", "architecture.md")])("%s", (page) => {
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
