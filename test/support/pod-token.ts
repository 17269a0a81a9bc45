import { sandboxAudience } from "../../src/api/runtime/pod-contract.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, serviceAccounts } from "../../src/kube/core-resources.ts";
import { tokenRequests } from "./core-resources.ts";

interface Place {
  client: KubeClient;
  namespace: string;
  release: { name: string; namespace: string };
}

/** The token that the kubelet mounts into a sandbox's pod of the account `runner`. */
export async function podToken({ client, namespace, release }: Place, { metadata }: Pod): Promise<string> {
  const { name = "", uid = "" } = metadata;
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
  const body = {
    metadata: {},
    apiVersion: "authentication.k8s.io/v1",
    kind: tokenRequests.kind,
    spec: { audiences: [sandboxAudience(release)], boundObjectRef },
  };
  const account = { namespace, name: "runner" };
  const issued = await client.createSubresource(serviceAccounts, account, { subresource: "token", body });
  return (issued as unknown as { status: { token: string } }).status.token;
}
