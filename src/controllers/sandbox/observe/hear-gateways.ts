import type { Lease } from "../../../kube/core-resources.ts";
import type { Informer } from "../../../kube/informer.ts";
import type { GatewayPresence } from "./gateway-presence.ts";
import type { Heartbeats } from "./heartbeats.ts";

interface Hearers {
  gateways: Pick<GatewayPresence, "changed">;
  heartbeats: Pick<Heartbeats, "restart">;
  /** Has all looked at whose clocks stood still. */
  goOn: () => void;
}

/** Listens to gateways, as a follower too, until the result is called; where one comes, clocks that stood still go on. */
export function hearGateways(
  gatewayLeases: Pick<Informer<Lease>, "onChange">,
  { gateways, heartbeats, goOn }: Hearers,
): () => void {
  return gatewayLeases.onChange((change) => {
    const news = gateways.changed(change);
    // After a change of leader alone a sandbox that is silent is not to be found later than it could be.
    if (news === "back") heartbeats.restart();
    if (news !== undefined) goOn();
  });
}
