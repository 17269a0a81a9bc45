import type { Registry } from "prom-client";

import { metricsOn } from "../telemetry/metric-definitions.ts";

/** Defines the metrics of the page's process on the registry. */
export function defineWebMetrics(registry: Registry) {
  const { counter } = metricsOn(registry);
  return {
    dropped: counter([], {
      name: "runwright_web_connections_dropped_total",
      help: "Connections to the web page that were dropped, as there were too many in all or from one address",
    }),
    signInsRefused: counter([], {
      name: "runwright_web_sign_ins_refused_total",
      help: "Sign-ins to the web page that were not tried, as too many were under way or had failed of one address",
    }),
  };
}
