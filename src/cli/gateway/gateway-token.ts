import { peopleAudience } from "../../api/runtime/pod-contract.ts";
import { serviceAccounts, type TokenRequest } from "../../kube/core-resources.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { GatewayTarget } from "./gateway-target.ts";

/** The shortest lifetime that the API server grants. */
const lifetimeSeconds = 600;

/**
 * The token for calls to the gateway: a ten-minute token of the named ServiceAccount with the gateway as its audience,
 * else the kubeconfig's own. @throws CliError when there is neither
 */
export async function gatewayToken(
  cluster: Pick<Cluster, "client" | "bearerToken">,
  { serviceAccount, release }: Pick<GatewayTarget, "serviceAccount" | "release">,
): Promise<string> {
  if (serviceAccount) return requestToken(cluster, serviceAccount, peopleAudience(release));
  const token = await cluster.bearerToken();
  if (token !== undefined) return token;
  throw new CliError(
    "the kubeconfig authenticates without a bearer token, which is the only thing the gateway can check\n" +
      "Name a ServiceAccount that may do this with --service-account NAMESPACE/NAME",
  );
}

async function requestToken(
  { client }: Pick<Cluster, "client">,
  account: { namespace: string; name: string },
  audience: string,
): Promise<string> {
  const body: TokenRequest = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { audiences: [audience], expirationSeconds: lifetimeSeconds },
  };
  const answer = await client.createSubresource(serviceAccounts, account, { subresource: "token", body });
  const token = answer.status?.token;
  if (token === undefined)
    throw new CliError(`the API server returned no token for ServiceAccount ${account.namespace}/${account.name}`);
  return token;
}
