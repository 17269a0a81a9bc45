import type { RepositoryReference } from "../../api/v1alpha1/clone.ts";
import type { Environment, Session } from "../../api/v1alpha1/index.ts";

/** The Repository whose branch agents report: the first of the Session, or of its Environment. */
export function firstReference(
  session: Session,
  environment: Environment | undefined,
): RepositoryReference | undefined {
  const [first] = environment?.spec.repositoryRefs ?? session.spec.target.repositoryRefs ?? [];
  return first;
}
