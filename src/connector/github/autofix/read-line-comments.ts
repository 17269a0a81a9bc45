import { Buffer } from "node:buffer";

import type { Integration } from "../../../api/v1alpha1/index.ts";
import { unlessRefused } from "../../unless-refused.ts";
import { listLineComments, listReviewComments, type PlacedComment, readLineComment } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import { readPage } from "../read-page.ts";
import type { LineComment } from "./feedback.ts";
import { mostBytes, mostComments } from "./prompt-text.ts";

interface ReviewId {
  /** OWNER/NAME. */
  repository: string;
  /** Of the pull request. */
  number: number;
  /** Of the review. */
  id: number;
}

/** So many of the usual length are within what is read of an answer. */
const perPage = 20;
/** So many of the newest comments of the pull request are searched for those of the review. */
const mostSearched = 200;

/**
 * Comments of a review in the order in which they were made. Where they are more or longer than a prompt may have, the rest is not
 * read. @throws ProviderError
 */
export async function readLineComments(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  review: ReviewId,
): Promise<LineComment[]> {
  const { repository, number, id } = review;
  const found: PlacedComment[] = [];
  for (let page = 1; page <= mostSearched / perPage; page += 1) {
    const listed = await readPage((which) => github.call(integration, repository, listLineComments(number, which)), {
      page,
      perPage,
    });
    found.push(...listed.filter(({ pull_request_review_id: of }) => of === id));
    if (listed.length < perPage || isTooMuch(found)) return found.reverse().map(placed);
  }
  return (await readOneByOne({ github }, integration, review)).map(placed);
}

/** The review's own list tells which comments it has, whatever there is beside them; it may lack their lines. */
async function readOneByOne(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  { repository, number, id }: ReviewId,
): Promise<PlacedComment[]> {
  const own: PlacedComment[] = [];
  for (let page = 1; ; page += 1) {
    const listed = await readPage(
      (which) => github.call(integration, repository, listReviewComments(number, id, which)),
      { page, perPage },
    );
    own.push(...listed);
    if (isTooMuch(own)) return own;
    if (listed.length < perPage) break;
  }
  const found: PlacedComment[] = [];
  for (const comment of own) {
    const read = await unlessRefused(github.call(integration, repository, readLineComment(comment.id)));
    if (read) found.push(read);
  }
  return found;
}

function isTooMuch(comments: readonly PlacedComment[]): boolean {
  const bytes = comments.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ""), 0);
  return comments.length > mostComments || bytes > mostBytes;
}

function placed(comment: PlacedComment): LineComment {
  return {
    url: comment.html_url,
    path: comment.path,
    line: comment.line ?? null,
    startLine: comment.start_line ?? null,
    originalLine: comment.original_line ?? null,
    originalStartLine: comment.original_start_line ?? null,
    side: comment.side ?? null,
    startSide: comment.start_side ?? null,
    body: comment.body ?? "",
    diffHunk: comment.diff_hunk,
    isReply: typeof comment.in_reply_to_id === "number",
  };
}
