import { Environment, Repository, type Session } from "../../../api/v1alpha1/index.ts";
import { firstReference } from "../../../domain/pull-requests/base.ts";
import type { KubeClient } from "../../../kube/client.ts";

/** The branch that pull requests of a Session go into; undefined where its Environment or Repository is gone. */
export async function baseBranch(
  client: Pick<KubeClient, "find">,
  session: Session,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace } = session.metadata;
  const name = session.spec.target.environmentRef?.name;
  const environment =
    name === undefined ? undefined : await client.find<Environment>(Environment, { namespace, name }, { signal });
  const first = firstReference(session, environment);
  if (!first || first.branch !== undefined) return first?.branch;
  const repository = await client.find<Repository>(Repository, { namespace, name: first.name }, { signal });
  return repository?.spec.branch;
}
