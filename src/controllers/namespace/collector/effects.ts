import type { KubeClient } from "../../../kube/client.ts";
import { isConflict, isNotFound } from "../../../kube/errors.ts";
import { keyOf } from "../../../lib/resource.ts";
import type { TenantNamespaces } from "../../sandbox/tenant/tenant-namespaces.ts";
import type { Leftover } from "./facts.ts";

export interface CollectorEffect {
  kind: "deleteLeftover";
  leftover: Leftover;
}

/** Deletes the object unless it has changed since it was observed; the next pass judges that one anew. */
export async function performEffect(
  { client, namespaces }: { client: Pick<KubeClient, "delete">; namespaces: Pick<TenantNamespaces, "forget"> },
  { leftover: { resource, object } }: CollectorEffect,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", uid, resourceVersion } = object.metadata;
  // Before the deletion, so that a session that starts meanwhile checks the namespace itself.
  namespaces.forget(namespace);
  try {
    await client.delete(resource, keyOf(object), { uid, resourceVersion, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
