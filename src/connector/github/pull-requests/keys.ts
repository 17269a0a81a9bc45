import type { IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { isOfPullRequest } from "../rules.ts";

/** Key of all that is about one pull request in a namespace: by the repository's number, which stays when it is renamed. */
export function numberKey(
  namespace: string | undefined,
  { repositoryID, number }: { repositoryID: number; number: number },
): ObjectKey {
  return { namespace, name: `${repositoryID}-${number}` };
}

/** The pull request that an event is about; undefined for events of Conversations. */
export function pullRequestKeyOf(event: IntegrationEvent): ObjectKey | undefined {
  const { repository, number } = event.spec.github ?? {};
  if (!isOfPullRequest(event) || !repository || number === undefined) return undefined;
  return numberKey(event.metadata.namespace, { repositoryID: repository.id, number });
}
