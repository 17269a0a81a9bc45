import { Automation } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Informer } from "../../kube/informer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** All automations in this replica's cache, without their instructions. */
export type AutomationView = Pick<Informer<Automation>, "list" | "hasSynced" | "stop">;

/** Follows automations of the watched namespaces, so that lists and searches need no request to the API server. */
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
  return informer;
}
