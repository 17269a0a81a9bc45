import { isVouchedFor } from "../../../api/runtime/gateway-identity.ts";
import { annotations } from "../../../api/v1alpha1/names.ts";
import { heartbeatLimitMs } from "../../../domain/clocks/limits.ts";
import type { Lease } from "../../../kube/core-resources.ts";

/** What an attempt's Lease says about its runtime's heartbeats. */
export type LeaseBeats =
  /** Each heartbeat renews it: of a gateway of the previous version, or there is no Lease. */
  | { kind: "renewed"; renewTime: string | undefined }
  /** The runtime beats for as long as the holder's own Lease is renewed. */
  | { kind: "vouched"; holder: string; renewTime: string | undefined }
  /** The last heartbeat was so many milliseconds, at least, before the Lease was written. */
  | { kind: "silent"; holder: string; renewTime: string | undefined; forMs: number };

/** Reads a Lease; times on it are compared with one another alone, since one clock wrote them. */
export function leaseBeats(lease: Pick<Lease, "metadata" | "spec"> | undefined): LeaseBeats {
  const { holderIdentity: holder = "", renewTime } = lease?.spec ?? {};
  if (!isVouchedFor(holder)) return { kind: "renewed", renewTime };
  const silentSince = lease?.metadata.annotations?.[annotations.silentSince];
  if (silentSince === undefined) return { kind: "vouched", holder, renewTime };
  const forMs = Date.parse(renewTime ?? "") - Date.parse(silentSince);
  return { kind: "silent", holder, renewTime, forMs: Math.min(Math.max(0, forMs || 0), heartbeatLimitMs) };
}
