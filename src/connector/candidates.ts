import type { Integration, LocalReference } from "../api/v1alpha1/index.ts";
import { type RepositoryPlace, repositoryPlace } from "../domain/integrations/repository-place.ts";
import type { ConnectorInformers } from "./informers.ts";

/** A Repository that requests may be about. */
export interface Candidate extends RepositoryPlace {
  /** Name of the Repository object. */
  name: string;
}

/** Those of an Integration's Repositories that exist. */
export function candidatesOf(
  { informers: { repositories } }: { informers: Pick<ConnectorInformers, "repositories"> },
  { metadata: { namespace } }: Integration,
  references: readonly LocalReference[] = [],
): Candidate[] {
  return references.flatMap(({ name }) => {
    const found = repositories.get({ namespace, name });
    return found ? [{ name, ...repositoryPlace(found.spec.url) }] : [];
  });
}
