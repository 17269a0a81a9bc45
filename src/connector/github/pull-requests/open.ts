import type { Integration } from "../../../api/v1alpha1/index.ts";
import { cutCharacters } from "../../../lib/characters.ts";
import { ProviderError } from "../../provider-error.ts";
import { createPullRequest, type ListedPullRequest, listPullRequests } from "../calls.ts";
import { commentText, markOf, withoutMentions } from "../comment-text.ts";
import type { GitHubApi } from "../github-api.ts";
import { readPage } from "../read-page.ts";

/** A pull request for a branch that an agent pushed to the repository itself. */
export interface WantedPullRequest {
  /** Of our own, by which it is found again. */
  id: string;
  /** OWNER/NAME. */
  repository: string;
  head: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
  /** When a call began whose outcome is not known. */
  callTime?: string | undefined;
}

export interface OpenedPullRequest {
  pullRequest: ListedPullRequest;
  /** Whether it was there before, such as one that the agent or a person opened. */
  isAdopted: boolean;
}

/** So many with usual texts are within what is read of an answer. */
const perPage = 10;
/** Longest texts that GitHub takes are 256 and 65,536 characters; the marks that no person sees need room, too. */
const longest = { title: 200, body: 60_000 } as const;

/**
 * Opens a pull request once. One that is open for the same branches is adopted: GitHub has no second one beside it. After a call
 * whose outcome is not known, ours is looked for whatever its state and base are, as people may have changed them since; where that
 * fails, none is opened. @throws ProviderError
 */
export async function openPullRequest(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  wanted: WantedPullRequest,
): Promise<OpenedPullRequest> {
  const { repository, callTime } = wanted;
  const find = (state: "open" | "all"): Promise<OpenedPullRequest | undefined> =>
    findPullRequest({ github }, integration, wanted, state);
  const known = await find(callTime === undefined ? "open" : "all");
  if (known) return known;
  try {
    const pullRequest = await github.call(integration, repository, createPullRequest(textsOf(wanted)));
    return { pullRequest, isAdopted: false };
  } catch (error) {
    // Another was opened since it was looked for.
    const other = isRefusal(error) ? await find("open") : undefined;
    if (other) return other;
    throw error;
  }
}

async function findPullRequest(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  { id, repository, head, base }: WantedPullRequest,
  state: "open" | "all",
): Promise<OpenedPullRequest | undefined> {
  const [owner = ""] = repository.split("/");
  // People may have ours go into another branch.
  const into = state === "all" ? undefined : base;
  const which = { head: `${owner}:${head}`, base: into, state };
  const listed = await readPage(
    (page) => github.call(integration, repository, listPullRequests({ ...which, ...page })),
    { page: 1, perPage },
  );
  const found = listed.filter((one) => isFrom(one, repository, head));
  const login = `${integration.spec.github?.slug ?? ""}[bot]`;
  const isOurs = ({ user, body }: ListedPullRequest): boolean =>
    user?.login.toLowerCase() === login.toLowerCase() && (body?.includes(markOf(id)) ?? false);
  const pullRequest = found.find(isOurs) ?? found.find((one) => one.state === "open" && one.base.ref === base);
  return pullRequest && { pullRequest, isAdopted: !isOurs(pullRequest) };
}

/** Branches of forks can have the same name, and belong to other people. */
function isFrom({ head }: ListedPullRequest, repository: string, branch: string): boolean {
  return head.ref === branch && head.repo?.full_name.toLowerCase() === repository.toLowerCase();
}

function textsOf({ id, head, base, title, body, isDraft }: WantedPullRequest): Parameters<typeof createPullRequest>[0] {
  return {
    head,
    base,
    title: withoutMentions(cutCharacters(title, longest.title)),
    body: commentText(id, cutCharacters(body, longest.body)),
    draft: isDraft,
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderError && error.failure === "refused";
}
