import { type Automation, labels, Run } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";

/**
 * UIDs of Runs that the API server has and the cache lacks, where the automation's status names one as counted: it would count
 * again if it were forgotten before its own verdict is written. The cache of Runs may be behind that of automations. Undefined where
 * the cache lacks none.
 */
export function findUncached(
  client: Pick<KubeClient, "list">,
  { metadata: { namespace, uid = "" }, status }: Automation,
  { cached, signal }: { cached: ReadonlySet<string>; signal: AbortSignal },
): Promise<string[]> | undefined {
  const lacking = (status?.strikes ?? []).filter((one) => !cached.has(one));
  if (lacking.length === 0) return undefined;
  const labelSelector = `${labels.automationUid}=${uid}`;
  return client
    .list<Run>(Run, { namespace, labelSelector, metadataOnly: true, signal })
    .then(({ items }) => items.flatMap(({ metadata }) => metadata.uid ?? []).filter((one) => lacking.includes(one)));
}
