import { type Integration, type Prompt, type PullRequest, Session } from "../../../api/v1alpha1/index.ts";
import { pullRequestName } from "../../../domain/integrations/names.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import { ownerReferenceTo } from "../../../lib/resource.ts";

/** A branch that an agent pushed, and where it is to be merged into. */
export interface PushedBranch {
  /** Name of the Repository object. */
  repositoryName: string;
  /** OWNER/NAME in lower case. */
  repository: string;
  head: string;
  base: string;
}

const longestTitle = 200;
const longestBody = 4_096;

/** The PullRequest of a branch, with the words that its agent wants; it goes with the Session whose agent pushed that. */
export function makePullRequest(
  integration: Integration,
  { session, prompt }: { session: Session; prompt: Prompt },
  { repositoryName, repository, head, base }: PushedBranch,
): PullRequest {
  const { name = "", uid = "" } = integration.metadata;
  const { metadata } = session;
  return {
    metadata: {
      name: pullRequestName({ name, uid }, { repository, head }),
      namespace: metadata.namespace,
      ownerReferences: [ownerReferenceTo(Session, session)],
    },
    spec: {
      integrationRef: { name, uid },
      sessionRef: { name: metadata.name ?? "", uid: metadata.uid ?? "" },
      repositoryRef: { name: repositoryName },
      repository,
      head,
      base,
      title: firstCharacters(titleOf({ session, prompt }, head), longestTitle),
      body: firstCharacters(bodyOf(prompt), longestBody),
      openAs: integration.spec.github?.pullRequests === "Ready" ? "Ready" : "Draft",
    },
  };
}

/** What the agent asked for, else the Session's title; GitHub refuses a blank one. */
function titleOf({ session, prompt }: { session: Session; prompt: Prompt }, head: string): string {
  return firstText(prompt.status?.pullRequest?.title, session.spec.title, head).trim();
}

/** What the agent asked for, else what it said of its work. */
function bodyOf({ status }: Prompt): string {
  return firstText(status?.pullRequest?.body, status?.result?.summary);
}

/** The first that is not blank. */
function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((text = "") => text.trim() !== "") ?? "";
}
