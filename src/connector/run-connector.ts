import { Gauge, type Registry } from "prom-client";

import type { KubeClient } from "../kube/client.ts";
import { defineConnectorMetrics } from "./metrics/connector-metrics.ts";
import { type ConnectorDeps, type RunningConnector, startConnector } from "./start-connector.ts";

export interface RunConnectorDeps extends Omit<ConnectorDeps, "electionClient" | "connectorMetrics" | "identity"> {
  registry: Registry;
  /** Used by the leader election alone, so that renewals of the Lease never wait behind the work. */
  electionConnection: { client: KubeClient; close(): Promise<void> };
}

/** Starts the process `runwright connector`, with its metrics, as one candidate for leadership. */
export function runConnector(deps: RunConnectorDeps): RunningConnector {
  const { registry, electionConnection, podName, random } = deps;
  const connector = startConnector({
    ...deps,
    electionClient: electionConnection.client,
    connectorMetrics: defineConnectorMetrics(registry),
    // A container that was restarted in its pod is another candidate.
    identity: `${podName}_${random.uuid()}`,
  });
  defineLeading(registry, () => connector.isLeading());
  return {
    ...connector,
    async close() {
      await connector.close();
      await electionConnection.close();
    },
  };
}

/** Defines the gauge of leadership on the registry. */
export function defineLeading(registry: Registry, isLeading: () => boolean): void {
  new Gauge({
    name: "runwright_connector_leading",
    help: "1 where this replica of the connector leads",
    registers: [registry],
    collect() {
      this.set(isLeading() ? 1 : 0);
    },
  });
}
