import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Random } from "../../lib/random.ts";
import { type AutomationReaderDeps, ClusterAutomationReader } from "./automation-reader.ts";
import { ClusterDeliveryLedger, type LedgerMetrics } from "../delivery-log/delivery-ledger.ts";
import { ClusterRunWriter } from "./run-writer.ts";

export interface DeliveryStoreDeps extends AutomationReaderDeps {
  /** Has 36 connections: 24 for creates, 4 for logs and 8 for reads, which must not queue behind them. */
  client: KubeClient;
  random: Random;
  ledgerMetrics?: LedgerMetrics | undefined;
}

/** What the ingress reads from and writes to the cluster. */
export interface DeliveryStore {
  automations: ClusterAutomationReader;
  runs: ClusterRunWriter;
  ledger: ClusterDeliveryLedger;
  /** Writes pending DeliveryLogs, for at most 5 s, and stops watching. */
  stop(): Promise<void>;
}

/** Starts to watch Automations; ready to serve once `automations.notReadyBecause()` is undefined. */
export function startDeliveryStore(deps: DeliveryStoreDeps): DeliveryStore {
  const { client, clock, random, log } = deps;
  const automations = new ClusterAutomationReader(deps);
  const runs = new ClusterRunWriter({ client, clock, random });
  const knownUid = (id: NamespacedName): string | undefined => automations.knownUid(id);
  const ledger = new ClusterDeliveryLedger({ client, clock, random, knownUid, log, metrics: deps.ledgerMetrics });
  automations.onDeleted((uid) => {
    runs.forget(uid);
    ledger.forget(uid);
  });
  automations.start();
  return {
    automations,
    runs,
    ledger,
    async stop() {
      await ledger.close();
      await automations.stop();
    },
  };
}
