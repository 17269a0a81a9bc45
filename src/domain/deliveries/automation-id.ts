/** Names one Automation of the cluster. */
export interface AutomationId {
  namespace: string;
  name: string;
}

const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const shape = new RegExp(`^(${label})\\.(${label})$`);

/** Reads `<namespace>.<name>` as it stands in a webhook's URL; undefined where a text is no such id. */
export function parseAutomationId(text: string): AutomationId | undefined {
  const [, namespace, name] = shape.exec(text) ?? [];
  return namespace !== undefined && name !== undefined ? { namespace, name } : undefined;
}

/** The path below the ingress's base URL that an Automation's deliveries are posted to. */
export function webhookPath({ namespace, name }: AutomationId): string {
  return `/webhooks/automation/${namespace}.${name}`;
}
