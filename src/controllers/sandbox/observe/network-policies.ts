import type { KubeClient } from "../../../kube/client.ts";
import { type NetworkPolicy, networkPolicies } from "../../../kube/core-resources.ts";

/** All NetworkPolicies of a namespace. Others' are only warned of, so a list that cannot be read is undefined. */
export async function readPolicies(
  client: Pick<KubeClient, "list">,
  namespace: string | undefined,
): Promise<readonly NetworkPolicy[] | undefined> {
  try {
    return (await client.list(networkPolicies, { namespace })).items;
  } catch {
    return undefined;
  }
}
