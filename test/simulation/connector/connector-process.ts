import { Registry } from "prom-client";

import { defineConnectorMetrics } from "../../../src/connector/metrics/connector-metrics.ts";
import { startConnector as start } from "../../../src/connector/start-connector.ts";
import { defineKubeMetrics } from "../../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import type { Cluster } from "../cluster.ts";
import { places } from "../places.ts";
import type { SimulatedProcess } from "../processes.ts";

const metrics = defineKubeMetrics(new Registry());
const connectorMetrics = defineConnectorMetrics(new Registry());
const logger = createLogger({ process: "simulation", level: "silent" });
/** Of what no history calls. */
const unreachable = "https://unreachable.invalid";

/** `runwright connector`, all of it but sockets and TLS. */
export function startConnector(cluster: Cluster, name: string): SimulatedProcess {
  const parts = cluster.newProcess(name);
  const { client, clock, random } = parts;
  const running = start({
    client,
    electionClient: client,
    clock,
    random,
    logger,
    metrics,
    connectorMetrics,
    release: places,
    podName: name,
    identity: `${name}_${random.uuid()}`,
    githubUrl: unreachable,
    linearUrl: unreachable,
    slackUrl: "https://slack.com",
    slackFetch: cluster.slack?.fetchOf(parts),
    gateway: { url: unreachable, authoritiesFile: "/none", tokenFile: "/none" },
  });
  void running.ended.then(() => {
    cluster.note(`${name} ends as it leads no more`);
    clock.die();
  });
  return { name, clock, kill: () => clock.die() };
}
