import { Counter, type Registry } from "prom-client";

/** Defines the metrics of the page's process on the registry. */
export function defineWebMetrics(registry: Registry): { dropped: () => void } {
  const dropped = new Counter({
    name: "runwright_web_connections_dropped_total",
    help: "Connections to the web page that were dropped, as there were too many in all or from one address",
    registers: [registry],
  });
  return { dropped: () => dropped.inc() };
}
