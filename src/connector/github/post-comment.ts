import type { Integration, Post } from "../../api/v1alpha1/index.ts";
import { ProviderError } from "../provider-error.ts";
import { createComment, createReaction, listComments } from "./calls.ts";
import { commentText, markOf } from "./comment-text.ts";
import type { GitHubApi } from "./github-api.ts";
import { readPage } from "./read-page.ts";

export interface CommenterDeps {
  github: Pick<GitHubApi, "call">;
}

/** Milliseconds that GitHub's clock may be behind ours. */
const githubMs = 300_000;
/** So many comments of the usual length are within what is read of an answer. */
const perPage = 20;
const mostPages = 50;

type Place = NonNullable<Post["github"]>;

/**
 * Posts a comment once. GitHub knows no repeated call, so after one whose outcome is not known, the newer comments are searched
 * for ours; where the search fails, it is not posted. @throws ProviderError
 */
export async function postComment(
  { github }: CommenterDeps,
  integration: Integration,
  { id, github: place, callTime }: Pick<Post, "id" | "github" | "callTime">,
  text: string,
): Promise<void> {
  if (!place) throw new ProviderError("refused", "The post has no place at GitHub");
  if (callTime !== undefined && (await isThere({ github }, integration, { id, place, callTime }))) return;
  await github.call(integration, place.repository, createComment(place.number, commentText(id, text)));
}

/** Shows that a request is worked on; the same reaction again is the same one. @throws ProviderError */
export async function showReaction(
  { github }: CommenterDeps,
  integration: Integration,
  { github: place }: Pick<Post, "github">,
): Promise<void> {
  const { repository = "", commentID: id, commentType } = place ?? {};
  if (id === undefined) throw new ProviderError("refused", "The post has no place at GitHub");
  await github.call(integration, repository, createReaction({ id, isReviewComment: commentType === "ReviewComment" }));
}

async function isThere(
  { github }: CommenterDeps,
  integration: Integration,
  { id, place, callTime }: { id: string; place: Place; callTime: string },
): Promise<boolean> {
  const login = `${integration.spec.github?.slug ?? ""}[bot]`;
  const since = new Date(Date.parse(callTime) - githubMs).toISOString();
  for (let page = 1; page <= mostPages; page += 1) {
    const found = await readPage(
      (which) => github.call(integration, place.repository, listComments(place.number, { ...which, since })),
      { page, perPage },
    );
    if (found.some(({ user, body }) => user?.login === login && body?.includes(markOf(id)))) return true;
    if (found.length < perPage) return false;
  }
  throw new ProviderError("refused", "There are too many comments to find what was posted among them");
}
