import type { Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { WatchRule } from "../../kube/controller.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import { indexNames } from "../informers.ts";

/**
 * Wakes the events of an Integration that wait: the cache may have an event before the Integration that it names, or one of the name
 * that is gone, or that cannot be read.
 */
export function eventsOfIntegration(
  { events }: { events: { byIndex(name: string, value: string): IntegrationEvent[] } },
  keysOf: (event: IntegrationEvent) => readonly ObjectKey[],
): WatchRule<Integration> {
  return {
    keysOf: (integration) => events.byIndex(indexNames.waiting, keyText(keyOf(integration))).flatMap(keysOf),
    when: ({ old, object }) =>
      !old || old.metadata.uid !== object.metadata.uid || old.metadata.generation !== object.metadata.generation,
  };
}
