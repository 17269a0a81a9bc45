import {
  conditionTypes,
  type Conversation,
  type IntegrationEvent,
  type Post,
  type PullRequest,
} from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { openRequest, requestOf } from "../../../domain/pull-requests/requests.ts";
import { isFollowed, wishFor } from "../../../domain/pull-requests/wish.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import type { Verdict } from "../../conversations/lifecycle.ts";
import { newPost } from "../../conversations/posts.ts";
import { accessVerdict, refusedVerdict } from "../../conversations/refuse.ts";
import { accessDenied } from "../access.ts";
import type { AnsweredBranch, PressFacts } from "./facts.ts";

/** What a press comes to next; `ask` notes the request on the answer's Prompt, at the time of the press. */
type PressStep =
  | { kind: "tell"; post: Post }
  | { kind: "ask"; answered: AnsweredBranch; requestedAt: string }
  | { kind: "wait"; ms: number };

/** Milliseconds that the connector waits for the pull request to open before it tells the person that it is not open. */
const patienceMs = 3_600_000;
const waitMs = { least: 1_000, most: 60_000 } as const;

/** What a person reads whose answer, session or branch is no longer known. */
export const forgotten =
  "What this answer was about is no longer known, so no pull request can be opened from here. Ask for the work again.";

/** What a person reads whose press the connector comes to when nobody waits for it any more. */
const tooLate = "The button was pressed over an hour ago, and nothing could be done since. Press it again.";

/**
 * Decides the next step of a press. Its time is the request, so a pass that is repeated asks for nothing new, and of two presses the
 * second finds the first.
 */
export function decidePress({ event, mayAsk, answered }: PressFacts, now: Date): PressStep {
  if (!mayAsk) return note(event, accessDenied);
  if (!answered) return note(event, forgotten);
  const { prompt, pullRequest } = answered;
  const requestedAt = requestOfPress(event);
  const request = pullRequest ? openRequest(pullRequest, [prompt], now) : requestOf(prompt, now);
  if (wasAskedAt(answered, requestedAt)) return afterRequest(event, answered, now);
  const obstacle = obstacleOf(answered, request) ?? (ageMs(event, now) >= patienceMs ? tooLate : undefined);
  return obstacle === undefined ? { kind: "ask", answered, requestedAt } : note(event, obstacle);
}

/** The time of a press, whose last six digits tell presses of one millisecond apart. */
export function requestOfPress({ metadata: { uid = "" }, spec }: IntegrationEvent): string {
  const own = Number.parseInt(uid.slice(0, 8), 16) % 1_000_000;
  return spec.receivedTime.replace(/Z$/, `${String(own || 0).padStart(6, "0")}Z`);
}

function wasAskedAt({ prompt, pullRequest }: AnsweredBranch, time: string): boolean {
  return requestOf(prompt, new Date(time)) === time || pullRequest?.status?.requestedAt === time;
}

/** Why a press asks for nothing; undefined where it does. */
function obstacleOf(
  { session, pullRequest, branch, opensWhenAsked }: AnsweredBranch,
  request: string | undefined,
): string | undefined {
  if (pullRequest && (pullRequest.status?.number !== undefined || wishFor(pullRequest, session) === undefined)) {
    return placeOf(pullRequest);
  }
  if (request !== undefined || isBeingOpened(pullRequest))
    return `The pull request of ${branch} was asked for before, and is not open yet.${whyOf(pullRequest)}`;
  if (opensWhenAsked) return undefined;
  return `No Integration opens pull requests for the repository of ${branch}: that takes one of type GitHub with github.pullRequests.`;
}

/** Whether a call that is to open it is under way: what was asked for before counts as followed, and is not done. */
function isBeingOpened(pullRequest: PullRequest | undefined): boolean {
  const { callTime, tries } = pullRequest?.status ?? {};
  return callTime !== undefined && tries === undefined;
}

function afterRequest(event: IntegrationEvent, { session, branch, pullRequest }: AnsweredBranch, now: Date): PressStep {
  const { receivedTime } = event.spec;
  if (pullRequest && isFollowed(pullRequest, session, receivedTime)) return outcome(event, pullRequest, branch);
  const waitedMs = ageMs(event, now);
  if (waitedMs >= patienceMs)
    return note(event, `The pull request of ${branch} is not open after an hour.${whyOf(pullRequest)}`);
  return { kind: "wait", ms: Math.min(Math.max(waitedMs / 2, waitMs.least), waitMs.most) };
}

function ageMs({ spec }: IntegrationEvent, now: Date): number {
  return now.getTime() - Date.parse(spec.receivedTime);
}

function outcome(event: IntegrationEvent, pullRequest: PullRequest, branch: string): PressStep {
  if (pullRequest.status?.number === undefined) {
    return note(event, `The pull request of ${branch} could not be opened.${whyOf(pullRequest)}`);
  }
  return { kind: "tell", post: newPost("PullRequest", event, { progress: "Pending", text: placeOf(pullRequest) }) };
}

const stateWords = { Draft: "open as a draft", Open: "open", Merged: "merged", Closed: "closed" } as const;

/** The address comes last, for the provider to make it a link. */
function placeOf({ spec, status }: PullRequest): string {
  const { repository = spec.repository, number, githubState, url } = status ?? {};
  if (number === undefined) {
    return `Session ${spec.sessionRef.name} has the pull request of ${spec.head}, which is not open yet.`;
  }
  const state = githubState === undefined ? "open" : stateWords[githubState];
  return `Pull request ${repository}#${String(number)} is ${state}: ${url ?? ""}`.trim();
}

function whyOf(pullRequest: PullRequest | undefined): string {
  const { message = "" } = findCondition(pullRequest?.status?.conditions, conditionTypes.ready) ?? {};
  return message === "" ? "" : ` ${message}`;
}

function note(event: IntegrationEvent, text: string): PressStep {
  return {
    kind: "tell",
    post: newPost("PrivateNote", event, { progress: "Pending", text: firstCharacters(text, 2_000) }),
  };
}

/** The post that says what a press came to; undefined before that is decided. */
export function ownPost({ status }: Conversation, { metadata }: IntegrationEvent): Post | undefined {
  return status?.posts?.find(({ eventUID }) => eventUID === metadata.uid);
}

/** What a press came to, by what the person reads. */
export function verdictOfPress({ kind, text = "" }: Pick<Post, "kind" | "text">): Verdict {
  if (text === accessDenied) return accessVerdict;
  if (kind !== "PullRequest") return refusedVerdict("PullRequestNotOpened", text);
  return { counted: "steered", succeeded: true, reason: "PullRequestOpened", message: text };
}
