import type { PostedType } from "../../api/v1alpha1/index.ts";
import { type NamespacedName, namespacedNameText } from "../../lib/namespaced-name.ts";

/** Paths of deliveries by trigger type; namespace and name follow after a slash. */
export const deliveryPaths = {
  Webhook: "/webhooks/automation",
  ErrorTracker: "/webhooks/error-tracker",
} as const satisfies Record<PostedType, string>;

/** The path below the ingress's base URL that an Automation's deliveries are posted to. */
export function webhookPath(automation: NamespacedName, type: PostedType = "Webhook"): string {
  return `${deliveryPaths[type]}/${namespacedNameText(automation)}`;
}
