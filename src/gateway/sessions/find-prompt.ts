import { Prompt } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { ApiError } from "../http/errors.ts";

/** A prompt of this session, read from the API server. @throws ApiError when it does not exist */
export async function findPrompt(
  client: Pick<KubeClient, "find">,
  { session, name }: { session: NamespacedName; name: string },
  signal: AbortSignal,
): Promise<Prompt> {
  const { namespace } = session;
  const found = await client.find<Prompt>(Prompt, { namespace, name }, { signal });
  if (found?.spec.sessionRef.name === session.name) return found;
  throw new ApiError("NotFound", `session ${namespace}.${session.name} has no prompt ${name}`);
}
