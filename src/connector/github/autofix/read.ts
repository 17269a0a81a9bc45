import type { Integration } from "../../../api/v1alpha1/index.ts";
import { isTooLong } from "../../answer-text.ts";
import { unlessRefused } from "../../unless-refused.ts";
import { type Comment, readComment, readPullRequest, readReview, type Review } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import type { Feedback, FeedbackKind } from "./feedback.ts";
import { readLineComments } from "./read-line-comments.ts";

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

/** Feedback as GitHub has it; `gone` where it was deleted or may not be read, `tooLong` where one of its texts alone is longer than what is read. */
export type ReadFeedback = Feedback | "gone" | "tooLong";

/** @throws ProviderError */
export async function readFeedback(
  { github }: { github: Pick<GitHubApi, "call"> },
  integration: Integration,
  { kind, repository, number, id }: FeedbackId,
): Promise<ReadFeedback> {
  const { state } = await github.call(integration, repository, readPullRequest(number));
  const call = kind === "Review" ? readReview(number, id) : readComment(id);
  const found = await unlessRefused(github.call<Review | Comment>(integration, repository, call));
  if (!found) return "gone";
  const comments =
    kind === "Review"
      ? await readLineComments({ github }, integration, { repository, number, id }).catch(ofLongText)
      : [];
  if (comments === "tooLong") return comments;
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

function ofLongText(error: unknown): "tooLong" {
  if (isTooLong(error)) return "tooLong";
  throw error;
}
