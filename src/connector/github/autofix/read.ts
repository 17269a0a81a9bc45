import type { Integration } from "../../../api/v1alpha1/index.ts";
import { ProviderError } from "../../provider-error.ts";
import { unlessRefused } from "../../unless-refused.ts";
import {
  type Comment,
  listLineComments,
  type PlacedComment,
  readComment,
  readPullRequest,
  readReview,
  type Review,
} from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import type { Feedback, FeedbackKind, LineComment } from "./feedback.ts";
import { mostComments } from "./prompt-text.ts";

/** Which feedback, by GitHub's numbers. */
export interface FeedbackId {
  kind: FeedbackKind;
  /** OWNER/NAME. */
  repository: string;
  /** Of the pull request. */
  number: number;
  /** Of the review or the comment. */
  id: number;
}

/** So many of the usual length are within what is read of an answer. */
const perPage = 20;
const mostPages = 50;

/** Reads feedback as GitHub has it now; `gone` where it was deleted or may not be read. @throws ProviderError */
export async function readFeedback(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  { kind, repository, number, id }: FeedbackId,
): Promise<Feedback | "gone"> {
  const { state } = await github.call(integration, repository, readPullRequest(number));
  const call = kind === "Review" ? readReview(number, id) : readComment(id);
  const found = await unlessRefused(github.call<Review | Comment>(integration, repository, call));
  if (!found) return "gone";
  const comments = kind === "Review" ? await readLineComments({ github }, integration, { repository, number, id }) : [];
  return {
    kind,
    url: found.html_url,
    body: found.body ?? "",
    state: "state" in found ? found.state : undefined,
    author: found.user ? { login: found.user.login, type: found.user.type ?? "" } : null,
    comments,
    isPullRequestOpen: state === "open",
  };
}

/** Comments of a review in the order in which they were made; one more than are handled is enough to know of. */
async function readLineComments(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  { repository, number, id }: Omit<FeedbackId, "kind">,
): Promise<LineComment[]> {
  const found: PlacedComment[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const listed = await github.call(integration, repository, listLineComments(number, { page, perPage }));
    found.push(...listed.filter(({ pull_request_review_id: review }) => review === id));
    if (listed.length < perPage || found.length > mostComments) return found.reverse().map(placed);
  }
  throw new ProviderError("refused", "The pull request has too many comments to find those of the review among them");
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
