import { Counter, Gauge, Histogram, type Metric, Registry } from "prom-client";

import { type ProcessName, processNames } from "../config/common.ts";
import { defineConnectorMetrics } from "../connector/metrics/connector-metrics.ts";
import { defineLeading } from "../connector/run-connector.ts";
import { defineGatewayMetrics } from "../gateway/metrics/gateway-metrics.ts";
import { defineBlobMetrics } from "../gateway/metrics/blob-metrics.ts";
import { archivedTables } from "../gateway/archive/schema/tables.ts";
import { archiveBudgets } from "../gateway/archive/trim/archive-bounds.ts";
import { defineArchiveMetrics } from "../gateway/metrics/archive-metrics.ts";
import { defineServingMetrics } from "../gateway/metrics/serving-metrics.ts";
import { defineControllerMetrics } from "../controllers/metrics/controller-metrics.ts";
import { defineIngressMetrics } from "../ingress/metrics.ts";
import { defineKubeMetrics } from "../telemetry/kube-metrics.ts";
import { defineTraceMetrics } from "../telemetry/bounded-spans.ts";
import { defineImageMetrics } from "../controllers/metrics/image-metrics.ts";
import { definePoolMetrics } from "../controllers/metrics/pool-metrics.ts";
import { defineSkillSetMetrics } from "../controllers/metrics/skill-set-metrics.ts";
import { defineRunMetrics } from "../controllers/metrics/run-metrics.ts";
import { defineWebMetrics } from "../web/web-metrics.ts";

/** The processes, and the one that has no part in the cluster. */
type Counting = ProcessName | "web";

/** One metric as the code defines it. */
export interface DefinedMetric {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
  processes: readonly Counting[];
}

const own: Record<Counting, (registry: Registry) => void> = {
  controller(registry) {
    defineRunMetrics(registry);
    defineImageMetrics(registry);
    definePoolMetrics(registry);
    defineSkillSetMetrics(registry);
    defineTraceMetrics(registry);
    const zero = (): number => 0;
    defineControllerMetrics(registry, {
      pausedAutomations: () => new Map(),
      isLeading: () => false,
      overdueRuns: zero,
      unsavedSessions: zero,
      fullestClass: zero,
      fullNamespaces: zero,
      queuedSessions: zero,
      prebuiltImages: () => new Map(),
      staleImages: zero,
      queuedImages: zero,
      sandboxPools: () => new Map(),
      poolSandboxes: () => new Map(),
      unclaimedPools: zero,
      invalidSkills: zero,
      tooLargeSkillSets: zero,
    });
  },
  gateway(registry) {
    defineGatewayMetrics(registry, () => 0);
    defineBlobMetrics(registry, () => ({ used: 0, bound: 0, events: { used: 0, bound: 0 } }));
    defineServingMetrics(registry, {
      connections: () => Promise.resolve({ sandbox: 0, people: 0 }),
      mostConnections: 0,
      certificateEndMs: () => undefined,
    });
    defineArchiveMetrics(registry, {
      behindMs: () => undefined,
      size: () => undefined,
      tables: archivedTables,
      budgets: archiveBudgets,
    });
  },
  connector(registry) {
    defineConnectorMetrics(registry);
    defineLeading(registry, () => false);
  },
  ingress(registry) {
    defineIngressMetrics(registry, { load: () => ({ working: 0, waiting: 0 }), hasConnector: true });
    defineTraceMetrics(registry);
  },
  web: defineWebMetrics,
};

/** All metrics of ours by name; Node's own, which every process has too, are left out. */
export function definedMetrics(): DefinedMetric[] {
  const found = new Map<string, DefinedMetric>();
  for (const process of [...processNames, "web"] as const) {
    const registry = new Registry();
    if (process !== "web") defineKubeMetrics(registry);
    own[process](registry);
    for (const { name } of registry.getMetricsAsArray()) {
      const metric = describe(registry.getSingleMetric(name));
      found.set(name, { ...metric, processes: [...(found.get(name)?.processes ?? []), process] });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describe(metric: Metric | undefined): Omit<DefinedMetric, "processes"> {
  // The library keeps what a metric was made with, but its types do not say so.
  const { name, help, labelNames } = metric as unknown as { name: string; help: string; labelNames: string[] };
  return { name, type: typeOf(metric), help, labels: labelNames };
}

function typeOf(metric: Metric | undefined): DefinedMetric["type"] {
  if (metric instanceof Counter) return "counter";
  if (metric instanceof Gauge) return "gauge";
  if (metric instanceof Histogram) return "histogram";
  throw new Error("a metric that is no counter, gauge or histogram");
}
