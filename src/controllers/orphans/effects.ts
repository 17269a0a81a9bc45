import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { deleteUnchanged } from "../../kube/delete-unchanged.ts";

export interface OrphanEffect {
  kind: "deleteSecret";
  secret: KubeObject;
}

export function performEffect(
  client: Pick<KubeClient, "delete">,
  { secret }: OrphanEffect,
  signal: AbortSignal,
): Promise<void> {
  return deleteUnchanged(client, secrets, secret, signal);
}
