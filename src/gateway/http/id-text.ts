import type { AutomationId } from "../../domain/deliveries/automation-id.ts";

/** What paths of the REST API name an object by. */
export function idText({ namespace, name }: AutomationId): string {
  return `${namespace}.${name}`;
}
