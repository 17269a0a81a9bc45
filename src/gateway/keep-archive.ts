import type { Registry } from "prom-client";
import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import { defineArchiveMetrics } from "./metrics/archive-metrics.ts";
import { ArchiveKeeper } from "./archive/archive-keeper.ts";
import { ArchiveStore } from "./archive/archive-store.ts";
import type { Database } from "./archive/open-archive.ts";
import { archivedTables } from "./archive/schema/tables.ts";

interface Deps {
  client: KubeClient;
  leaseClient?: KubeClient | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
  metrics?: KubeMetrics | undefined;
  release: { name: string; namespace: string };
  podName: string;
  watchNamespaces?: readonly string[] | undefined;
}

/** Keeps the history in the archive while this replica leads, until the signal ends it. */
export function keepArchive(
  deps: Deps,
  { database, retentionDays }: { database: Database; retentionDays: number },
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, random, logger, registry, metrics, release, podName, watchNamespaces = [] } = deps;
  const refused = defineArchiveMetrics(registry, { behindMs: () => keeper.behindMs(), tables: archivedTables });
  const keeper = new ArchiveKeeper({
    client,
    leaseClient: deps.leaseClient ?? client,
    clock,
    random,
    log: logger,
    metrics,
    store: new ArchiveStore(database, clock),
    namespaces: watchNamespaces,
    retentionDays,
    refused,
    release,
    identity: `${podName}_${random.uuid()}`,
  });
  return keeper.run(signal);
}
