/**
 * Holder of a gateway's own Lease and of sessions' Leases: the replica's pod, and the time for which it renews its own
 * Lease without a break. The previous version's gateways hold Leases by the pod's name alone.
 */
export function gatewayIdentity(podName: string, term: string): string {
  return `${podName}${separator}${term}`;
}

/** Name of the gateway pod that holds a Lease. */
export function podOfGateway(identity: string): string {
  return identity.split(separator, 1)[0] ?? identity;
}

/**
 * Whether the holder's own Lease says that what it holds counts. A gateway of the previous version renews each session's
 * Lease at each heartbeat instead.
 */
export function isVouchedFor(identity: string): boolean {
  return identity.includes(separator);
}

/** No pod's name has it. */
const separator = "_";
