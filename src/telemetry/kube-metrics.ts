import type { Registry } from "prom-client";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { metricsOn } from "./metric-definitions.ts";

/** Metrics of every process about its use of the API server, and of the controllers about their queues. */
export type KubeMetrics = ReturnType<typeof defineKubeMetrics>;

const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Defines the metrics of the Kubernetes layer on the registry; names of objects are never labels. */
export function defineKubeMetrics(registry: Registry) {
  const { counter, histogram } = metricsOn(registry);
  const reconciles = histogram(["controller", "outcome"], durationBuckets, {
    name: "runwright_controller_reconcile_duration_seconds",
    help: "Duration of reconciles by controller and outcome",
  });
  const waits = histogram(["controller"], durationBuckets, {
    name: "runwright_controller_queue_wait_seconds",
    help: "Time that keys waited for a worker",
  });
  const writes = counter(["controller", "verb", "resource", "status"], {
    name: "runwright_controller_api_writes_total",
    help: "Creates, updates, patches and deletes that controllers sent, by status; 0 = no answer",
  });
  const lists = counter(["resource", "reason"], {
    name: "runwright_cache_lists_total",
    help: "Full lists of a collection by reason",
  });
  const watches = counter(["resource", "outcome"], {
    name: "runwright_cache_watches_ended_total",
    help: "Watches that ended, by outcome",
  });
  const drift = counter(["resource"], {
    name: "runwright_cache_drifted_objects_total",
    help: "Objects that a fresh list showed otherwise than the cache: events were missed",
  });
  const droppedEvents = counter(["reason"], {
    name: "runwright_events_dropped_total",
    help: "Events that were not written: full queue, budget of their object, or error",
  });
  const policyRefusals = counter(["policy"], {
    name: "runwright_kube_policy_refusals_total",
    help: "Writes of this process that an admission policy of the release refused, by policy: the installed policies are of another version",
  });
  return {
    policyRefused: (policy: string): void => policyRefusals.inc({ policy }),
    reconciled: (controller: string, outcome: string, durationMs: number): void =>
      reconciles.observe({ controller, outcome }, durationMs / 1_000),
    queueWaited: (controller: string, waitedMs: number): void => waits.observe({ controller }, waitedMs / 1_000),
    wrote: (controller: string, verb: string, { plural }: Resource<KubeObject>, status: number): void =>
      writes.inc({ controller, verb, resource: plural, status }),
    listed: (resource: string, reason: string): void => lists.inc({ resource, reason }),
    watchEnded: (resource: string, outcome: string): void => watches.inc({ resource, outcome }),
    drifted: (resource: string, objects: number): void => drift.inc({ resource }, objects),
    eventDropped: (reason: string): void => droppedEvents.inc({ reason }),
  };
}
