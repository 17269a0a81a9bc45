import type { Registry } from "prom-client";

import { metricsOn } from "../../telemetry/metric-definitions.ts";

export type ConnectorMetrics = ReturnType<typeof defineConnectorMetrics>;

const thoughtBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

/** Defines the connector's metrics on the registry; names of Integrations are never labels. */
export function defineConnectorMetrics(registry: Registry) {
  const { counter, histogram } = metricsOn(registry);
  const calls = counter(["operation", "outcome"], {
    name: "runwright_connector_provider_calls_total",
    help: "Calls of providers by operation and outcome: ok, credentials, throttled, unavailable or refused",
  });
  const posts = counter(["kind", "progress"], {
    name: "runwright_connector_posts_total",
    help: "Posts that have ended, by kind and progress: Sent, Dropped or GivenUp",
  });
  const settled = counter(["reason"], {
    name: "runwright_connector_events_settled_total",
    help: "IntegrationEvents that were handled, by reason",
  });
  const thoughts = histogram([], thoughtBuckets, {
    name: "runwright_connector_first_thought_seconds",
    help: "Time from an event's arrival at the ingress to its acknowledgement at the provider",
  });
  return {
    called: (operation: string, outcome: string): void => calls.inc({ operation, outcome }),
    postEnded: (kind: string, progress: string): void => posts.inc({ kind, progress }),
    eventSettled: (reason: string): void => settled.inc({ reason }),
    acknowledged: (ms: number): void => thoughts.observe({}, ms / 1_000),
  };
}
