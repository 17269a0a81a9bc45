import { Automation } from "../../api/v1alpha1/index.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";

/** All automations in this replica's cache, without their instructions. */
export type AutomationView = Pick<Informer<Automation>, "list" | "hasSynced" | "stop">;

/** Follows automations of all namespaces, or of some, so that lists and searches need no request to the API server. */
export function followAutomations(deps: InformerDeps, namespaces: readonly string[] | undefined): AutomationView {
  const informer = new Informer<Automation>(deps, Automation, {
    namespaces,
    transform: (automation) => keepOwnMetadata({ ...automation, spec: { ...automation.spec, instructions: "" } }),
  });
  informer.start();
  return informer;
}
