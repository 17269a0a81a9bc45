import { reasons } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { isAlreadyExists, isInvalid } from "../../../kube/errors.ts";
import { TerminalError } from "../../../kube/outcome.ts";
import { keyOf, type KubeObject, type Resource } from "../../../lib/resource.ts";
import { isOwnedAlike, isSpecifiedAlike } from "../resources.ts";

/**
 * Creates a child under its deterministic name. Where it exists already, an earlier attempt made it, which is as good:
 * the look at what has the name is what keeps two attempts from making two children.
 */
export async function createChild<T extends KubeObject & { spec: object }>(
  client: Pick<KubeClient, "create" | "find">,
  resource: Resource<T>,
  child: T,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.create(resource, child, { signal });
  } catch (error) {
    // The same object would be refused again.
    if (isInvalid(error)) throw new TerminalError(reasons.invalidSpec, error.message, { cause: error });
    if (!isAlreadyExists(error)) throw error;
    const found = await client.find(resource, keyOf(child), { signal });
    // It was deleted between the two requests: the next pass makes it.
    if (!found) throw error;
    if (!isOwnedAlike(found, child)) throw nameTaken(resource, child);
    // Made for an earlier spec of the automation: the cache shows it in a moment, and the next pass removes it.
    if (!isSpecifiedAlike(found, child)) throw error;
    return found;
  }
}

function nameTaken(resource: Resource<KubeObject>, child: KubeObject): TerminalError {
  const name = child.metadata.name ?? "";
  return new TerminalError(reasons.nameTaken, `${resource.kind} ${name} exists and belongs to something else`);
}
