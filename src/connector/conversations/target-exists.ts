import type { Integration, Target } from "../../api/v1alpha1/index.ts";
import type { ConnectorInformers } from "../informers.ts";

/** Whether the Repository or Environment of a target is there. */
export function targetExists(
  { repositories, environments }: Pick<ConnectorInformers, "repositories" | "environments">,
  { metadata: { namespace } }: Integration,
  { repositoryRef, environmentRef }: Target,
): boolean {
  if (environmentRef) return environments.get({ namespace, name: environmentRef.name }) !== undefined;
  return repositoryRef !== undefined && repositories.get({ namespace, name: repositoryRef.name }) !== undefined;
}
