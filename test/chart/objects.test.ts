import { beforeAll, expect, it } from "vitest";

import { makeNamespace, testApi } from "../support/cluster.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

/** Strict validation refuses fields that the API server does not know. */
const dryRun = "?dryRun=All&fieldValidation=Strict";

let chart: RenderedChart;

beforeAll(async () => {
  const namespace = await makeNamespace("release");
  chart = await renderChart({
    namespace,
    values: { "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }] },
  });
  // What lies in the private namespaces can be judged only when they are there.
  for (const object of chart.ofKind("Namespace")) {
    expect((await testApi().send("POST", "/api/v1/namespaces", object)).status).toBe(201);
  }
});

it("renders only what the API server takes", async () => {
  const refused: unknown[] = [];
  const objects = chart.all.filter(({ kind }) => kind !== "Namespace");
  for (const object of objects) {
    const { status, body } = await testApi().send("POST", (await collectionPath(testApi(), object)) + dryRun, object);
    if (status !== 201) refused.push({ kind: object.kind, name: object.metadata.name, status, body });
  }
  expect(refused).toEqual([]);
  expect(objects.length).toBeGreaterThan(20);
});

it("names every object once", () => {
  const names = chart.all.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it("shares no name with another release of the cluster", async () => {
  const other = await renderChart({ name: "other", namespace: "elsewhere" });
  const clusterScoped = (rendered: RenderedChart): string[] =>
    rendered.all.filter(({ metadata }) => !metadata.namespace).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const names = new Set(clusterScoped(chart));
  expect(clusterScoped(other).filter((name) => names.has(name))).toEqual([]);
});
