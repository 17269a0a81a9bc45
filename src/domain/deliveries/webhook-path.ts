import { type NamespacedName, namespacedNameText } from "../../lib/namespaced-name.ts";

/** The path below the ingress's base URL that an Automation's deliveries are posted to. */
export function webhookPath(automation: NamespacedName): string {
  return `/webhooks/automation/${namespacedNameText(automation)}`;
}
