import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { reasonMeanings } from "../../api/v1alpha1/index.ts";
import { permissions } from "../permissions.ts";
import { defineKubeMetrics } from "../../telemetry/kube-metrics.ts";
import { defineRunMetrics } from "./run-metrics.ts";

const controllers = [
  ...["automation", "run", "session", "repository", "environment", "sandboxclass"],
  ...["namespace", "tenant", "orphan", "certificate"],
];
const outcomes = ["done", "requeueAfter", "conflict", "terminal", "error", "stopped"];
const writing = new Set(["create", "update", "patch", "delete"]);

it("all controllers of one process have at most 2,000 series, with everything that they may write and how it may end", async () => {
  const registry = new Registry();
  const kube = defineKubeMetrics(registry);
  const runs = defineRunMetrics(registry);
  for (const controller of controllers) {
    kube.queueWaited(controller, 1);
    for (const outcome of outcomes) kube.reconciled(controller, outcome, 1);
  }
  const resources = new Set(permissions.flatMap((permission) => permission.resources));
  for (const plural of resources) {
    // What writes a resource is one controller, but for a few.
    const verbs = permissions.filter((one) => one.resources.includes(plural)).flatMap((one) => one.verbs);
    for (const verb of new Set(verbs.filter((one) => writing.has(one)))) {
      for (const status of [200, 404, 409, 500, 0]) {
        // Only the name is read.
        kube.wrote("run", verb, { plural } as Parameters<typeof kube.wrote>[2], status);
      }
    }
    for (const reason of ["start", "expired", "drift"]) kube.listed(plural, reason);
    for (const outcome of ["ended", "failed"]) kube.watchEnded(plural, outcome);
    kube.drifted(plural, 1);
  }
  for (const reason of ["queue", "budget", "error"]) kube.eventDropped(reason);
  for (const reason of Object.keys(reasonMeanings))
    for (const of of ["agent", "platform", ""]) runs.runEnded(reason, of);
  const series = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(series.length).toBeGreaterThan(1_000);
  expect(series.length).toBeLessThanOrEqual(2_000);
});
