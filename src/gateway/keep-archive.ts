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
import { archiveBudgets, type ArchiveBounds } from "./archive/trim/archive-bounds.ts";

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

/** The archive of a gateway. */
export interface KeptArchive {
  database: Database;
  retentionDays: number;
  /** What namespaces may have; left out, nothing is deleted before its time. */
  bounds?: (() => Promise<ArchiveBounds>) | undefined;
}

/** Keeps the history in the archive while this replica leads, until the signal ends it. */
export function keepArchive(
  deps: Deps,
  { database, retentionDays, bounds }: KeptArchive,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, random, logger, registry, metrics, release, podName, watchNamespaces = [] } = deps;
  const { refused, trimmed } = defineArchiveMetrics(registry, {
    behindMs: () => keeper.behindMs(),
    size: () => keeper.size(),
    tables: archivedTables,
    budgets: archiveBudgets,
  });
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
    bounds,
    trimmed,
    release,
    identity: `${podName}_${random.uuid()}`,
  });
  return keeper.run(signal);
}
