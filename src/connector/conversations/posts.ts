import {
  type Condition,
  type Conversation,
  type IntegrationEvent,
  mostPosts,
  type Post,
  type Prompt,
  reasons,
  type Result,
  type Session,
} from "../../api/v1alpha1/index.ts";
import { stableUuid } from "../../domain/integrations/names.ts";
import { pushedBranches } from "../../domain/prompts/pushed-branches.ts";
import { isSettled, succeededOf } from "../../domain/prompts/prompt-state.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { mostTries, nextTryAfter } from "../next-try.ts";
import type { ProviderError } from "../provider-error.ts";
import { type ConversationFacts, promptFor, requestOf } from "./facts.ts";
import { type DuePost, isFinished } from "./due-post.ts";
import { dueState, showsState } from "./progress.ts";
import { rulesOf } from "./rules.ts";
import { dueSign } from "./signs.ts";

/** Finished posts that are kept for people; as many of what anybody can bring about, and as many questions with their answers, are kept beside them. */
const keptPosts = 10;
/** What people read who may not ask for work, too. */
const forAnybody: readonly Post["kind"][] = ["Refusal", "PrivateNote"];

/** A start is posted within 5 minutes of it, and a clock may be 1 minute ahead. */
const startNoticeMs = { oldest: 300_000, ahead: 60_000 };

/** A new post; its id follows from event and kind, so that a repeated decision makes no second one. */
export function newPost(
  kind: Post["kind"],
  event: IntegrationEvent,
  rest: Pick<Post, "progress"> & Partial<Pick<Post, "text" | "sessionName" | "nextTryTime" | "signTime">>,
): Post {
  const { uid: eventUID = "" } = event.metadata;
  return { id: stableUuid(kind, eventUID), kind, eventUID, ...rulesOf(event).placeOf(event), tries: 0, ...rest };
}

/**
 * Adds posts; finished ones beyond those kept make room, and more of them where others wait. What anybody can bring about takes no room
 * from answers, whose buttons are known as long as they are kept, and nothing takes room from questions, which people may answer for an hour. @throws Error without room, see {@link hasRoomFor}
 */
export function withPosts(posts: readonly Post[] = [], added: readonly Post[]): Post[] {
  if (!hasRoomFor(posts, added)) throw new Error(`${mostPosts} posts of the conversation wait to be posted`);
  const known = without(posts, added);
  const finished = known.filter(isFinished);
  const questions = finished.filter(({ kind }) => kind === "Question");
  const asked = new Set(questions.slice(-keptPosts).map(({ eventUID }) => eventUID));
  const others = finished.filter(
    ({ kind, eventUID }) => !(kind === "Answer" && asked.has(eventUID)) && kind !== "Question",
  );
  const dropped = new Set([
    ...beyondKept(questions),
    ...beyondKept(others.filter(({ kind }) => forAnybody.includes(kind))),
    ...beyondKept(others.filter(({ kind }) => !forAnybody.includes(kind))),
  ]);
  const kept = known.filter((post) => !dropped.has(post));
  const tooMany = new Set(firstOf(kept.filter(isFinished), kept.length + added.length - mostPosts));
  return [...kept.filter((post) => !tooMany.has(post)), ...added];
}

/** Whether posts can be added without the loss of one that is still to be posted. */
export function hasRoomFor(posts: readonly Post[] = [], added: readonly Post[]): boolean {
  const waiting = without(posts, added).filter((post) => !isFinished(post));
  return waiting.length + added.length <= mostPosts;
}

function without(posts: readonly Post[], added: readonly Post[]): Post[] {
  return posts.filter(({ id }) => !added.some((post) => post.id === id));
}

function beyondKept(finished: readonly Post[]): readonly Post[] {
  return firstOf(finished, finished.length - keptPosts);
}

function firstOf(posts: readonly Post[], count: number): readonly Post[] {
  return posts.slice(0, Math.max(0, count));
}

/** The post of what the agent attached to an answer that was posted; undefined where there is nothing, or no provider that takes it. */
export function mediaPost(answer: Post, prompt: Prompt | undefined): Post | undefined {
  const { kind, eventUID, slack, sessionName, promptName } = answer;
  if (kind !== "Answer" || !slack || !prompt?.status?.media) return undefined;
  const place = { slack: { channelID: slack.channelID, threadTS: slack.threadTS } };
  const id = stableUuid("Media", answer.id);
  return { id, kind: "Media", eventUID, ...place, sessionName, promptName, progress: "Waiting", tries: 0 };
}

/** Posts that are to be posted now, in their order. */
export function duePosts(facts: ConversationFacts, now: Date): DuePost[] {
  const posts = facts.conversation?.status?.posts ?? [];
  const waiting = new Set(facts.events.flatMap((event) => [event.metadata.uid, requestOf(facts, event)?.metadata.uid]));
  return posts.flatMap((post) => {
    const isTime = post.nextTryTime === undefined || Date.parse(post.nextTryTime) <= now.getTime();
    if (post.progress === "Pending") return isTime ? [{ post }] : [];
    if (post.progress !== "Waiting" || waiting.has(post.eventUID)) return [];
    if (showsState(post)) return dueState(facts, post, isTime);
    return isTime ? dueAfterPrompt(facts, post, now) : [];
  });
}

function dueAfterPrompt(facts: ConversationFacts, post: Post, now: Date): DuePost[] {
  if (post.promptName !== undefined) return dueAfterRun(facts, post, now);
  const session = facts.sessions.get(post.sessionName ?? "");
  const prompt = session && promptFor(facts, session, post.eventUID);
  if (post.kind === "StartIssue") return dueStart(post, session, prompt, now);
  return !prompt || isSettled(prompt) ? [{ post, prompt, session }] : dueSign(post, session, prompt, now);
}

/** The first prompt of an Automation's Run comes when the controller starts the Run, which may be never. */
function dueAfterRun({ conversation, prompts }: ConversationFacts, post: Post, now: Date): DuePost[] {
  const prompt = prompts.get(post.promptName ?? "");
  if (prompt) return isSettled(prompt) ? [{ post, prompt }] : [];
  return Date.parse(conversation?.status?.expireTime ?? "") <= now.getTime() ? [{ post, isDropped: true }] : [];
}

function dueStart(post: Post, session: Session | undefined, prompt: Prompt | undefined, now: Date): DuePost[] {
  if (!session || !prompt) return [{ post, isDropped: true }];
  const startTime = startOf(session, prompt);
  if (startTime === undefined) return isSettled(prompt) ? [{ post, isDropped: true }] : [];
  const ageMs = now.getTime() - Date.parse(startTime);
  const isFresh = ageMs <= startNoticeMs.oldest && ageMs >= -startNoticeMs.ahead;
  return [{ post, prompt, session, isDropped: !isFresh }];
}

/** When the prompt reached a sandbox; undefined before. */
function startOf({ status }: Session, prompt: Prompt): string | undefined {
  const { currentPrompt, sandbox } = status ?? {};
  const isAtWork = currentPrompt?.uid === prompt.metadata.uid && sandbox?.readyTime !== undefined;
  return isAtWork ? currentPrompt?.startTime : prompt.status?.startTime;
}

/** Milliseconds until the next post whose time is still to come; undefined where there is none. */
export function nextPostMs({ conversation }: ConversationFacts, now: Date): number | undefined {
  const { posts = [], expireTime } = conversation?.status ?? {};
  const times = posts
    .filter((post) => !isFinished(post))
    .flatMap(({ nextTryTime, signTime, promptName }) => [
      nextTryTime ?? [],
      signTime ?? [],
      promptName === undefined ? [] : (expireTime ?? []),
    ])
    .flat()
    .map((time) => Date.parse(time) - now.getTime())
    .filter((ms) => ms > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** A post after a try; `error` is undefined where it was posted. */
export function afterTry(post: Post, error: ProviderError | undefined, now: Date): Post {
  const rest = { ...post, nextTryTime: undefined, problem: undefined };
  if (!error) return { ...rest, progress: "Sent" };
  const tries = Math.min(post.tries + 1, mostTries);
  const problem = firstCharacters(error.message, 1_024);
  const nextTryTime = nextTryAfter(post.tries, error, now);
  if (nextTryTime === undefined) {
    // A state that is not shown is no loss: the answer comes all the same.
    return { ...rest, tries, problem, progress: showsState(post) ? "Dropped" : "GivenUp" };
  }
  return { ...rest, tries, problem, nextTryTime };
}

/** What a person reads of a Prompt that has ended, or of one that is gone. */
export function answerOf(prompt: Prompt | undefined): { succeeded: boolean; text: string } {
  const succeeded = prompt && succeededOf(prompt);
  if (!succeeded) return { succeeded: false, text: "The session was deleted before it had an answer." };
  const { result } = prompt.status ?? {};
  const pushed = branchText(result);
  const summary = result?.summary ?? "";
  const said = summary.trim() === "" ? [] : [summary];
  if (succeeded.status === "True") {
    return { succeeded: true, text: [...(said.length === 0 ? ["Done."] : said), ...pushed].join("\n\n") };
  }
  return { succeeded: false, text: [whyOf(succeeded), ...said, ...pushed].join("\n\n") };
}

/** The branches that were pushed, as a paragraph of an answer. */
function branchText(result: Result | undefined): string[] {
  const lines = pushedBranches(result).map(({ branch, repository }) => {
    return `Branch: \`${branch}\`${repository === undefined ? "" : ` of ${repository}`}`;
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** Whether an agent that an Automation started says that there is nothing to tell people, and made nothing either. */
export function isSilent({ promptName }: Post, prompt: Prompt | undefined): boolean {
  if (promptName === undefined || !prompt) return false;
  const { result, media } = prompt.status ?? {};
  const summary = result?.summary ?? "";
  const isEmpty = /^(?:no_reply\.?)?$/i.test(summary.trim());
  return isEmpty && !media && pushedBranches(result).length === 0 && succeededOf(prompt)?.status === "True";
}

function whyOf({ reason, message }: Pick<Condition, "reason" | "message">): string {
  if (reason === reasons.cancelled) return "The request was cancelled.";
  return firstCharacters(`It failed (${reason}): ${message}`, 2_000);
}

/** Whether a conversation has a post that was given up since it was last in order. */
export function hasGivenUp({ status }: Pick<Conversation, "status">): boolean {
  return status?.posts?.some(({ progress }) => progress === "GivenUp") ?? false;
}
