import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";
import { parse } from "yaml";

import { chart, renderChart } from "./support/render.ts";

/** Blank in a checkout, whose chart asks for it. */
const askedFor = "image.repository";

/** null takes a default away. Of these nothing is left then, which means something. */
const takesNull =
  /^settings\.(sandboxTimeoutMs|finalSnapshotBufferMs|tunnelPorts|buildTimeoutSeconds|max\w+)$|fsGroup$|\.resources|^dashboard\.labels/;

const defaults = parse(await readFile(join(chart, "values.yaml"), "utf8")) as Record<string, unknown>;

/** Paths of all values and groups of values, with their defaults. */
function* paths(values: object, above = ""): Generator<{ path: string; preset: unknown }> {
  for (const [name, preset] of Object.entries(values) as [string, unknown][]) {
    const path = above + name;
    yield { path, preset };
    if (typeof preset === "object" && preset !== null && !Array.isArray(preset)) yield* paths(preset, `${path}.`);
  }
}

function isBlank(preset: unknown): boolean {
  return preset === "" || (typeof preset === "object" && preset !== null && Object.keys(preset).length === 0);
}

const judged = [...paths(defaults)].filter(({ path }) => !takesNull.test(path));
const needed = judged.filter(({ preset }) => !isBlank(preset)).map(({ path }) => path);
const blank = judged.filter(({ path, preset }) => isBlank(preset) && path !== askedFor).map(({ path }) => path);

it.each(needed)("%s cannot be null, and helm says so", async (path) => {
  const name = path.split(".").at(-1);
  const said = await renderChart({ values: { [path]: null } }).then(() => "taken", String);
  expect(said).toMatch(new RegExp(`missing propert.*'${name}'`));
});

it("a value that is blank by default may be null, which is the same", async () => {
  const values = Object.fromEntries(blank.map((path) => [path, null]));
  const [nulled, plain] = await Promise.all([renderChart({ values }), renderChart()]);
  expect(nulled.all).toEqual(plain.all);
});

it("the group of a volume, resources and labels may be none", async () => {
  const values = {
    "gateway.blobStore.directory.volume": "persistentVolumeClaim",
    "gateway.blobStore.directory.persistentVolumeClaim.fsGroup": null,
    "gateway.resources.limits": null,
    "controller.resources": null,
    "dashboard.enabled": true,
    "dashboard.labels": null,
  };
  const chart = await renderChart({ values });
  expect(JSON.stringify(chart.ofKind("Deployment"))).not.toContain("fsGroup");
  expect(JSON.stringify(chart.all)).not.toContain("grafana_dashboard");
});
