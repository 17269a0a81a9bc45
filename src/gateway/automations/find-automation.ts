import { Automation } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { KubeClient } from "../../kube/client.ts";
import { ApiError } from "../http/errors.ts";

/** The automation, read from the API server. @throws ApiError when it does not exist or is being deleted */
export async function findAutomation(
  client: Pick<KubeClient, "find">,
  { namespace, name }: NamespacedName,
  signal: AbortSignal,
): Promise<Automation> {
  const found = await client.find<Automation>(Automation, { namespace, name }, { signal });
  if (found && found.metadata.deletionTimestamp === undefined) return found;
  throw new ApiError("NotFound", `there is no automation ${namespace}.${name}`);
}
