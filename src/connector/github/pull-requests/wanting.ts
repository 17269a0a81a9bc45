import type { Integration, Session } from "../../../api/v1alpha1/index.ts";
import { opensPullRequests } from "../../../domain/pull-requests/asking.ts";
import { firstReference } from "../../../domain/pull-requests/base.ts";
import { candidatesOf } from "../../candidates.ts";
import type { ConnectorInformers } from "../../informers.ts";
import type { PushedBranch } from "./resources.ts";

interface WantingDeps {
  informers: Pick<ConnectorInformers, "integrations" | "repositories" | "environments">;
}

/** Why a branch is to have a pull request: it is asked for, by a person or of late by the agent, or it was pushed of late. */
export type Cause = "asked" | "pushed";

/** Whether an Integration opens pull requests for this cause. */
export function wants(integration: Integration, cause: Cause): boolean {
  if (!opensPullRequests(integration)) return false;
  return cause === "asked" || integration.spec.github?.pullRequests !== "OnRequest";
}

/** The Integration that serves the session's primary Repository; a push to its base needs no pull request. */
export function findBranch(
  deps: WantingDeps,
  integrations: readonly Integration[],
  { session, head }: { session: Session; head: string },
): { integration: Integration; branch: PushedBranch } | undefined {
  const primary = primaryOf(deps, session);
  if (!primary || primary.base === head) return undefined;
  for (const integration of integrations) {
    const candidates = candidatesOf(deps, integration, integration.spec.github?.repositories);
    const candidate = candidates.find(({ name }) => name === primary.name);
    if (candidate) {
      const branch = { repositoryName: primary.name, repository: candidate.fullName, head, base: primary.base };
      return { integration, branch };
    }
  }
  return undefined;
}

/** Agents report the branch of the first Repository. */
function primaryOf(
  { informers: { repositories, environments } }: WantingDeps,
  session: Session,
): { name: string; base: string } | undefined {
  const { namespace } = session.metadata;
  const { environmentRef } = session.spec.target;
  const first = firstReference(session, environmentRef && environments.get({ namespace, name: environmentRef.name }));
  const repository = first && repositories.get({ namespace, name: first.name });
  return repository && { name: first.name, base: first.branch ?? repository.spec.branch };
}

/** Whether asking for the pull request of a branch of this session has it opened. */
export function opensWhenAsked(deps: WantingDeps, session: Session, head: string): boolean {
  const integrations = deps.informers.integrations
    .list(session.metadata.namespace)
    .filter((one) => wants(one, "asked"));
  return findBranch(deps, integrations, { session, head }) !== undefined;
}
