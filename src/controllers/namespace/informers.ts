import { networkPolicies, serviceAccounts } from "../../kube/core-resources.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { type Release, sandboxLabels, selectorOf } from "../sandbox/labels.ts";
import { roleBindings, roles } from "../sandbox/tenant/service-account.ts";

/** Caches of what this release keeps in tenant namespaces. */
export type NamespaceInformers = ReturnType<typeof namespaceInformers>;

/** Only objects that carry this release's labels, in the cluster or in the given namespaces. */
export function namespaceInformers(
  deps: InformerDeps,
  { release, namespaces }: { release: Release; namespaces?: readonly string[] | undefined },
) {
  const selection = { labelSelector: selectorOf(sandboxLabels(release)), namespaces, transform: keepOwnMetadata };
  return {
    policies: new Informer(deps, networkPolicies, selection),
    accounts: new Informer(deps, serviceAccounts, selection),
    roles: new Informer(deps, roles, selection),
    roleBindings: new Informer(deps, roleBindings, selection),
  };
}
