import { peopleAudience } from "../../api/runtime/pod-contract.ts";
import { selfSubjectReviews, serviceAccounts, type TokenRequest } from "../../kube/core-resources.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { GatewayTarget } from "./gateway-target.ts";

/** The shortest lifetime that the API server grants. */
const lifetimeSeconds = 600;

/**
 * The token for calls to the gateway: a ten-minute token with the gateway as its audience, of the named ServiceAccount or
 * that of the kubeconfig; the kubeconfig's own token only where the user asks for it. @throws CliError without a token
 */
export async function gatewayToken(
  cluster: Pick<Cluster, "client" | "bearerToken">,
  {
    serviceAccount,
    usesKubeconfigToken,
    release,
  }: Pick<GatewayTarget, "serviceAccount" | "usesKubeconfigToken" | "release">,
): Promise<string> {
  if (usesKubeconfigToken) return kubeconfigToken(cluster);
  return requestToken(cluster, serviceAccount ?? (await accountOfUser(cluster)), peopleAudience(release));
}

async function kubeconfigToken({ bearerToken }: Pick<Cluster, "bearerToken">): Promise<string> {
  const token = await bearerToken();
  if (token !== undefined) return token;
  throw new CliError(
    "the kubeconfig authenticates without a bearer token, so --kubeconfig-token has none to show\n" +
      "Name a ServiceAccount that may do this with --service-account NAMESPACE/NAME",
  );
}

/** The ServiceAccount that the kubeconfig authenticates as. @throws CliError for other users */
async function accountOfUser({ client }: Pick<Cluster, "client">): Promise<NamespacedName> {
  const { status } = await client.create(selfSubjectReviews, { metadata: {} });
  const username = status?.userInfo?.username ?? "";
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new CliError(
    `you are "${username}" to the cluster, and the API server makes tokens that are good at the gateway alone for ServiceAccounts only\n` +
      "Name one that may do this with --service-account NAMESPACE/NAME; or trust the gateway with your own token by --kubeconfig-token",
  );
}

async function requestToken(
  { client }: Pick<Cluster, "client">,
  account: NamespacedName,
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
