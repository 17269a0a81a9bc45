import type { Integration } from "../../api/v1alpha1/integration.ts";
import { type NamespacedName, namespacedNameText } from "../../lib/namespaced-name.ts";

/** Path of Integrations; namespace and name follow after a slash, then the provider. */
export const integrationsPath = "/integrations";

/** The path below the ingress's base URL that a provider posts an Integration's events to. */
export function integrationPath(integration: NamespacedName, type: Integration["spec"]["type"]): string {
  return `${integrationsPath}/${namespacedNameText(integration)}/${type.toLowerCase()}`;
}
