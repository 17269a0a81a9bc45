import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import { isConflict, isNotFound } from "../../kube/errors.ts";
import { keyOf, type KubeObject } from "../../lib/resource.ts";

export interface OrphanEffect {
  kind: "deleteSecret";
  secret: KubeObject;
}

/** Deletes the Secret unless it has changed since it was observed; the next pass judges that one anew. */
export async function performEffect(
  client: Pick<KubeClient, "delete">,
  { secret }: OrphanEffect,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = secret.metadata;
  try {
    await client.delete(secrets, keyOf(secret), { uid, resourceVersion, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
