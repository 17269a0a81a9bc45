import { annotations } from "../../../api/v1alpha1/names.ts";
import type { Lease } from "../../../kube/core-resources.ts";

/** UIDs of the pods whose runtimes wait at a gateway, by what the gateways' own Leases say. */
export function waitingPods(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.flatMap(waitingAt));
}

/** Those that one gateway says. */
export function waitingAt({ metadata }: Lease): string[] {
  const said = metadata.annotations?.[annotations.waitingPods] ?? "";
  return said === "" ? [] : said.split(",");
}
