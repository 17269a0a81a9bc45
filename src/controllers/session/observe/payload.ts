import { group } from "../../../api/v1alpha1/kind.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { Run } from "../../../api/v1alpha1/run.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Checked, checked, refused } from "../../sandbox/refusal.ts";

/**
 * The payload that the agent gets as a file: that of the Run which the session names, as the API server has it, since caches
 * leave payloads out. The Run must own the session, or a session could show the payload of any Run.
 */
export async function readPayload(
  client: Pick<KubeClient, "find">,
  { metadata, spec }: Session,
): Promise<Checked<string | undefined>> {
  const { name } = spec.payloadRunRef ?? {};
  if (name === undefined) return checked(undefined);
  const owner = (metadata.ownerReferences ?? []).find(
    (one) => one.kind === Run.kind && one.apiVersion.startsWith(`${group}/`) && one.name === name,
  );
  if (!owner) return refused(reasons.invalidSpec, `spec.payloadRunRef: Run ${name} does not own the session`);
  const run = await client.find<Run>(Run, { namespace: metadata.namespace, name });
  // A Run that is gone takes the session with it.
  return checked(run?.metadata.uid === owner.uid ? run.spec.trigger.payload : undefined);
}
