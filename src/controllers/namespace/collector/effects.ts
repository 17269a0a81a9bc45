import type { KubeClient } from "../../../kube/client.ts";
import { deleteUnchanged } from "../../../kube/delete-unchanged.ts";
import type { TenantNamespaces } from "../../sandbox/tenant/tenant-namespaces.ts";
import type { Leftover } from "./facts.ts";

export interface CollectorEffect {
  kind: "deleteLeftover";
  leftover: Leftover;
}

export async function performEffect(
  { client, namespaces }: { client: Pick<KubeClient, "delete">; namespaces: Pick<TenantNamespaces, "forget"> },
  { leftover: { resource, object } }: CollectorEffect,
  signal: AbortSignal,
): Promise<void> {
  // Before the deletion, so that a session that starts meanwhile checks the namespace itself.
  namespaces.forget(object.metadata.namespace ?? "");
  await deleteUnchanged(client, resource, object, signal);
}
