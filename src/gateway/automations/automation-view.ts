import { Automation } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Informer } from "../../kube/informer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** All automations as this replica's cache has them, a moment old and without their instructions. */
export interface AutomationView {
  /** Of one namespace, or all. */
  list(namespace: string | undefined): readonly Automation[];
  readonly hasSynced: boolean;
  stop(): Promise<void>;
}

/** Follows the automations of all namespaces, or of some, so that a list or a search costs the API server nothing. */
export function followAutomations(deps: {
  client: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  watchNamespaces?: readonly string[] | undefined;
}): AutomationView {
  const { client, clock, random, logger, watchNamespaces: namespaces } = deps;
  const informer = new Informer<Automation>({ client, clock, random, log: logger }, Automation, {
    namespaces,
    transform: (automation) => ({ ...automation, spec: { ...automation.spec, instructions: "" } }),
  });
  informer.start();
  return {
    list: (namespace) => informer.list(namespace),
    get hasSynced() {
      return informer.hasSynced;
    },
    stop: () => informer.stop(),
  };
}
