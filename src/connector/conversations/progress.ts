import { type Condition, type Post, type Prompt, reasons, type Session } from "../../api/v1alpha1/index.ts";
import { isSettled, succeededOf } from "../../domain/prompts/prompt-state.ts";
import { type DuePost, isFinished } from "./due-post.ts";
import { type ConversationFacts, promptFor } from "./facts.ts";

/** Milliseconds between changes of one message; what happens in between is not shown. */
const pauseMs = 5_000;

/** What a request is at, in words for people; the first ones go on. */
export const stages = {
  waiting: "waiting for a sandbox",
  starting: "the sandbox is starting",
  working: "the agent is at work",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  gone: "the session was deleted",
} as const;
export type Stage = keyof typeof stages;

const passing: readonly Stage[] = ["waiting", "starting", "working"];

/** What marks a message until its request is done. */
const mark = "eyes";

/** When a post that shows a state is first shown, so that a request that ends at once shows its end alone. */
export function firstShownTime(now: Date): string {
  return new Date(now.getTime() + pauseMs).toISOString();
}

/** Whether a post shows a state and is shown again when that changes. */
export function showsState({ kind }: Pick<Post, "kind">): boolean {
  return kind === "Progress" || kind === "Reaction";
}

/** A post that shows a state, where it does not show the present one. The last state does not wait for its time. */
export function dueState(facts: ConversationFacts, post: Post, isTime: boolean): DuePost[] {
  const session = facts.sessions.get(post.sessionName ?? "");
  const prompt = session && promptFor(facts, session, post.eventUID);
  const stage = stageOf(session, prompt);
  const isLast = !passing.includes(stage);
  if (!isTime && (!isLast || post.tries > 0)) return [];
  return post.kind === "Progress" ? dueProgress(facts, post, { stage, isLast }) : dueReaction(post, isLast);
}

/** It changes the message of Started. */
function dueProgress(
  { conversation }: ConversationFacts,
  post: Post,
  { stage, isLast }: { stage: Stage; isLast: boolean },
): DuePost[] {
  const posts = conversation?.status?.posts ?? [];
  const started = posts.find(({ kind, eventUID }) => kind === "Started" && eventUID === post.eventUID);
  if (!started || isFinishedUnseen(started)) return [{ post, isDropped: true }];
  const text = `${started.text ?? ""}\nStatus: ${stages[stage]}`;
  const isShown = text === post.text && !isLast;
  return isShown || !isFinished(started) ? [] : [{ post: { ...post, slack: started.slack }, shows: { text, isLast } }];
}

function isFinishedUnseen(started: Post): boolean {
  return isFinished(started) && started.slack?.messageTS === undefined;
}

/** At the end it is taken away whatever is known of it: a call that added it may have ended with its process. */
function dueReaction(post: Post, isLast: boolean): DuePost[] {
  const text = isLast ? "" : mark;
  return text === post.text ? [] : [{ post, shows: { text, isLast } }];
}

/** What the request of a prompt is at; `gone` where its session or the prompt is not there any more. */
export function stageOf(session: Session | undefined, prompt: Prompt | undefined): Stage {
  if (!session || !prompt) return "gone";
  const succeeded = succeededOf(prompt);
  if (succeeded && isSettled(prompt)) return stageAtEnd(succeeded);
  const { currentPrompt, sandbox } = session.status ?? {};
  if (currentPrompt?.uid !== prompt.metadata.uid) return "waiting";
  return sandbox?.readyTime === undefined ? "starting" : "working";
}

function stageAtEnd({ status, reason }: Pick<Condition, "status" | "reason">): Stage {
  if (reason === reasons.cancelled) return "cancelled";
  return status === "True" ? "done" : "failed";
}

/** A post that shows a state, after it was shown. */
export function afterShowing(post: Post, { text, isLast }: NonNullable<DuePost["shows"]>, now: Date): Post {
  const shown = { ...post, text, tries: 0, problem: undefined };
  if (isLast) return { ...shown, nextTryTime: undefined, progress: "Sent" };
  return { ...shown, nextTryTime: firstShownTime(now) };
}
