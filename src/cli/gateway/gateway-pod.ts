import { pods, type Pod } from "../../kube/core-resources.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";

/** Name of a gateway pod of the release that is ready and not terminating. @throws CliError when there is none */
export async function readyGatewayPod(
  { client }: Pick<Cluster, "client">,
  release: { name: string; namespace: string },
): Promise<string> {
  const labelSelector = [
    "app.kubernetes.io/name=runwright",
    `app.kubernetes.io/instance=${release.name}`,
    "app.kubernetes.io/component=gateway",
  ].join(",");
  const { items } = await client.list(pods, { namespace: release.namespace, labelSelector });
  const name = items.find(isReady)?.metadata.name;
  if (name !== undefined) return name;
  const found = items.length === 0 ? "no gateway pod" : `none of ${items.length} gateway pods ready`;
  throw new CliError(
    `found ${found} of release "${release.name}" in namespace "${release.namespace}"\n` +
      "Name the installation with --release and --release-namespace, or see kubectl -n " +
      `${release.namespace} get pods -l ${labelSelector}`,
  );
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
