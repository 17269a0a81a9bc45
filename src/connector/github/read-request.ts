import type { Integration, IntegrationEvent, Target } from "../../api/v1alpha1/index.ts";
import { isTooLong } from "../answer-text.ts";
import { candidatesOf } from "../candidates.ts";
import type { ConversationFacts, FoundTarget } from "../conversations/facts.ts";
import type { Read } from "../conversations/provider.ts";
import type { ConnectorInformers } from "../informers.ts";
import { readLineComments } from "./autofix/read-line-comments.ts";
import {
  type Comment,
  type Issue,
  listComments,
  type PullRequestFields,
  readComment,
  readIssue,
  readPermission,
  readPullRequest,
  readReview,
  readReviewComment,
  type ReviewComment,
  writers,
} from "./calls.ts";
import type { GitHubApi } from "./github-api.ts";
import { type PromptParts, promptText } from "./prompt-text.ts";
import { readPage } from "./read-page.ts";
import { githubOf } from "./rules.ts";

export interface RequestReaderDeps {
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "repositories">;
}

interface Asked {
  repository: string;
  number: number;
  isPullRequest: boolean;
  /** Of the comment, or of the review in whose text the mention is. */
  id: number;
  place: "Comment" | "ReviewComment" | "Review";
  actor: { id: number; login: string };
}

const shownComments = 10;

/**
 * Reads the request of the first event that waits from GitHub, which alone is believed: the event holds ids. A request that may
 * not be worked on is not read. @throws ProviderError
 */
export async function readRequest(
  deps: RequestReaderDeps,
  { integration, conversation, events }: ConversationFacts,
): Promise<Read> {
  const [event] = events;
  if (!event) throw new Error("there is no event whose request could be read");
  const asked = askedOf(event);
  const { startEventUID, target: decided } = conversation?.status ?? {};
  const known = startEventUID === event.metadata.uid ? decided : undefined;
  const target = known ? ({ kind: "target", target: known } as const) : await targetOf(deps, integration, asked);
  const subject = `${asked.repository}#${asked.number}`;
  if (target.kind !== "target") return { title: subject, text: "", target, isWhole: true };
  const comment = await readAsked(deps, integration, asked);
  if (comment.user?.id !== asked.actor.id) {
    return { title: subject, text: "", target: denied("The comment is of another person"), isWhole: true };
  }
  const issue = await deps.github.call(integration, asked.repository, readIssue(asked.number));
  const parts = await partsOf(deps, integration, asked, { issue, comment });
  return { title: `${subject} ${issue.title}`, text: promptText({ ...parts, subject }), target, isWhole: true };
}

function askedOf(event: IntegrationEvent): Asked {
  const { repository, number, subjectType, commentID, commentType = "Comment", reviewID, actor } = githubOf(event);
  const id = commentID ?? reviewID;
  if (!repository || number === undefined || id === undefined || !actor) {
    throw new Error("the event is no request");
  }
  const isPullRequest = subjectType === "PullRequest";
  const place = commentID === undefined ? "Review" : commentType;
  return { repository: repository.name, number, isPullRequest, id, place, actor };
}

/** The Repository of the event, where the person may ask for work on it. */
async function targetOf(deps: RequestReaderDeps, integration: Integration, asked: Asked): Promise<FoundTarget> {
  const { repositories, allowedUsers } = integration.spec.github ?? {};
  const fullName = asked.repository.toLowerCase();
  const found = candidatesOf(deps, integration, repositories).find((candidate) => candidate.fullName === fullName);
  if (!found) {
    return {
      kind: "refused",
      reason: "TargetUnknown",
      message: `${asked.repository} is none of spec.github.repositories`,
    };
  }
  const target: Target = { repositoryRef: { name: found.name } };
  if (allowedUsers) return { kind: "target", target };
  const { permission } = await deps.github.call(integration, asked.repository, readPermission(asked.actor.login));
  if (writers.includes(permission)) return { kind: "target", target };
  return denied(`${asked.actor.login} may not write to ${asked.repository}`);
}

function denied(message: string): FoundTarget {
  return { kind: "refused", reason: "AccessDenied", message };
}

/** What asks, as GitHub has it. */
type Said = Pick<Comment, "body" | "html_url" | "user"> | ReviewComment;

function readAsked(
  { github }: RequestReaderDeps,
  integration: Integration,
  { repository, number, id, place }: Asked,
): Promise<Said> {
  switch (place) {
    case "Comment":
      return github.call(integration, repository, readComment(id));
    case "ReviewComment":
      return github.call(integration, repository, readReviewComment(id));
    case "Review":
      return github.call(integration, repository, readReview(number, id));
  }
}

/** The words of a request; those of a review are its text and its comments on lines. */
async function wordsOf(
  deps: RequestReaderDeps,
  integration: Integration,
  { repository, number, id, place }: Asked,
  { body }: Said,
): Promise<string> {
  const text = body ?? "";
  if (place !== "Review") return text;
  const comments = await readLineComments(deps, integration, { repository, number, id }).catch(withoutLongOnes);
  const onLines = comments.map(({ path, line, originalLine, body: said }) => {
    const shown = line ?? originalLine;
    return `On ${path}${shown === null ? "" : `, line ${shown}`}:\n${said}`;
  });
  return [text, ...onLines].join("\n\n");
}

function withoutLongOnes(error: unknown): [] {
  if (isTooLong(error)) return [];
  throw error;
}

async function partsOf(
  deps: RequestReaderDeps,
  integration: Integration,
  asked: Asked,
  { issue, comment }: { issue: Issue; comment: Said },
): Promise<Omit<PromptParts, "subject">> {
  const { repository, number, isPullRequest, actor } = asked;
  const pullRequest = isPullRequest
    ? await deps.github.call(integration, repository, readPullRequest(number))
    : undefined;
  const earlier = await earlierComments(deps, integration, asked, issue);
  return {
    url: issue.html_url,
    title: issue.title,
    description: issue.body ?? "",
    state: issue.state,
    labels: issue.labels.map((label) => (typeof label === "string" ? label : (label.name ?? ""))),
    pullRequest: pullRequest && branchesOf(pullRequest, repository),
    earlier: earlier.map(({ user, body }) => ({ author: user?.login ?? "ghost", text: body ?? "" })),
    request: { author: actor.login, text: await wordsOf(deps, integration, asked, comment), url: comment.html_url },
    place: "diff_hunk" in comment ? placeOf(comment) : undefined,
    instructions: integration.spec.sessionInstructions,
  };
}

function branchesOf({ head, base }: PullRequestFields, repository: string): PromptParts["pullRequest"] {
  const { full_name: from = "that is gone" } = head.repo ?? {};
  const isFork = from.toLowerCase() !== repository.toLowerCase();
  return { head: head.ref, base: base.ref, fork: isFork ? from : undefined };
}

/** GitHub gives no line where the commented one is gone. */
function placeOf({ path, line, original_line: original, diff_hunk: hunk }: ReviewComment): PromptParts["place"] {
  return { path, line: line ?? original ?? undefined, hunk };
}

/** The newest comments before the one that asks; GitHub lists the oldest first, so the last two pages are read. */
async function earlierComments(
  { github }: RequestReaderDeps,
  integration: Integration,
  { repository, number, id: askedId, place }: Asked,
  { comments: count }: Issue,
): Promise<Comment[]> {
  const last = Math.max(1, Math.ceil(count / shownComments));
  const pages = [...new Set([Math.max(1, last - 1), last])];
  const found = await Promise.all(
    pages.map((page) =>
      readPage((which) => github.call(integration, repository, listComments(number, which)), {
        page,
        perPage: shownComments,
      }),
    ),
  );
  const before = found.flat().filter(({ id }) => place !== "Comment" || id < askedId);
  return before.slice(-shownComments);
}
