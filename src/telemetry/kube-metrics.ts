import { Counter, Histogram, type Registry } from "prom-client";
import type { KubeObject, Resource } from "../lib/resource.ts";

/** Metrics of every process about its use of the API server, and of the controllers about their queues. */
export interface KubeMetrics {
  reconciled(controller: string, outcome: string, durationMs: number): void;
  queueWaited(controller: string, waitedMs: number): void;
  wrote(controller: string, verb: string, resource: Resource<KubeObject>, status: number): void;
  listed(resource: string, reason: string): void;
  watchEnded(resource: string, outcome: string): void;
  drifted(resource: string, objects: number): void;
  eventDropped(reason: string): void;
}

const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Defines the metrics of the Kubernetes layer on the registry; names of objects are never labels. */
export function defineKubeMetrics(registry: Registry): KubeMetrics {
  const registers = [registry];
  const reconciles = new Histogram({
    name: "runwright_controller_reconcile_duration_seconds",
    help: "Duration of reconciles by controller and outcome",
    labelNames: ["controller", "outcome"],
    buckets: durationBuckets,
    registers,
  });
  const waits = new Histogram({
    name: "runwright_controller_queue_wait_seconds",
    help: "Time that keys waited for a worker",
    labelNames: ["controller"],
    buckets: durationBuckets,
    registers,
  });
  const writes = new Counter({
    name: "runwright_controller_api_writes_total",
    help: "Creates, updates, patches and deletes that controllers sent, by status; 0 = no answer",
    labelNames: ["controller", "verb", "resource", "status"],
    registers,
  });
  const lists = new Counter({
    name: "runwright_cache_lists_total",
    help: "Full lists of a collection by reason",
    labelNames: ["resource", "reason"],
    registers,
  });
  const watches = new Counter({
    name: "runwright_cache_watches_ended_total",
    help: "Watches that ended, by outcome",
    labelNames: ["resource", "outcome"],
    registers,
  });
  const drift = new Counter({
    name: "runwright_cache_drifted_objects_total",
    help: "Objects that a fresh list showed otherwise than the cache: events were missed",
    labelNames: ["resource"],
    registers,
  });
  const droppedEvents = new Counter({
    name: "runwright_events_dropped_total",
    help: "Events that were not written: full queue, budget of their object, or error",
    labelNames: ["reason"],
    registers,
  });
  return {
    reconciled: (controller, outcome, durationMs) => reconciles.observe({ controller, outcome }, durationMs / 1_000),
    queueWaited: (controller, waitedMs) => waits.observe({ controller }, waitedMs / 1_000),
    wrote: (controller, verb, { plural }, status) => writes.inc({ controller, verb, resource: plural, status }),
    listed: (resource, reason) => lists.inc({ resource, reason }),
    watchEnded: (resource, outcome) => watches.inc({ resource, outcome }),
    drifted: (resource, objects) => drift.inc({ resource }, objects),
    eventDropped: (reason) => droppedEvents.inc({ reason }),
  };
}
