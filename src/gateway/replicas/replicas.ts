import { isIPv6 } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { Buffer } from "node:buffer";
import { podOfGateway } from "../../api/runtime/gateway-identity.ts";
import { gatewayLeaseName } from "../../api/runtime/pod-contract.ts";
import { annotations, attemptName, gatewayServerName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { leases, secrets } from "../../kube/core-resources.ts";
import type { AttemptId } from "../attempts/attempt.ts";

interface Deps {
  client: Pick<KubeClient, "find" | "get">;
  release: { name: string; namespace: string; sessionsNamespace: string };
  /** This replica. */
  podName: string;
}

/** Address and port as in URLs. */
export function addressOf(ip: string, port: number): string {
  return `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`;
}

/**
 * A connection to the REST API of the replica that holds the attempt's Lease; undefined for this one or none. It fails unless the other
 * side shows a certificate of the gateway's name, so that nobody who has its address gets a person's token.
 */
export async function connectToReplica(
  deps: Deps,
  target: AttemptId,
  signal: AbortSignal,
): Promise<TLSSocket | undefined> {
  const address = await addressOfHolder(deps, target, signal);
  if (address === undefined) return undefined;
  const key = { namespace: deps.release.sessionsNamespace, name: gatewayTlsSecretName };
  const secret = await deps.client.get(secrets, key, { signal });
  return connect({
    host: address.hostname.replace(/^\[|\]$/g, ""),
    port: Number(address.port),
    minVersion: "TLSv1.3",
    ca: Buffer.from(secret.data?.["ca.crt"] ?? "", "base64"),
    // All replicas show the gateway's certificate, which has no addresses. An issuer of the cluster's signs those of others, too.
    servername: gatewayServerName(deps.release),
  });
}

async function addressOfHolder(
  { client, release, podName }: Deps,
  { sessionUid, attempt }: AttemptId,
  signal: AbortSignal,
): Promise<URL | undefined> {
  const key = { namespace: release.sessionsNamespace, name: attemptName(sessionUid, attempt) };
  const holder = (await client.find(leases, key, { signal }))?.spec?.holderIdentity;
  const pod = holder && podOfGateway(holder);
  if (pod === undefined || pod === podName) return undefined;
  const own = { namespace: release.namespace, name: gatewayLeaseName(pod) };
  const address = (await client.find(leases, own, { signal }))?.metadata.annotations?.[annotations.peopleAddress];
  return address === undefined ? undefined : new URL(`https://${address}`);
}
