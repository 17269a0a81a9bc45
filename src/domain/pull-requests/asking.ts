import type { Integration, Session } from "../../api/v1alpha1/index.ts";
import { servesRepository } from "../integrations/serves-repository.ts";
import { primaryRepository } from "./wish.ts";

/** Whether an Integration opens pull requests at all, be it only when it is asked to. */
export function opensPullRequests({ spec, metadata }: Pick<Integration, "spec" | "metadata">): boolean {
  return spec.github?.pullRequests !== undefined && !spec.suspend && metadata.deletionTimestamp === undefined;
}

/** Whether one of a namespace's Integrations opens the pull request of a branch of this Session when it is asked to. */
export function anyOpensFor(
  integrations: readonly Pick<Integration, "spec" | "metadata">[],
  session: Session,
): boolean {
  const repository = primaryRepository(session);
  return integrations.some(
    (one) => opensPullRequests(one) && (repository === undefined || servesRepository(one, repository)),
  );
}
