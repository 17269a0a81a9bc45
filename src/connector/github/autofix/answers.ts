import { type Integration, Prompt, PullRequest, type TrackedFeedback } from "../../../api/v1alpha1/index.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyText } from "../../../lib/resource.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import { answerOf } from "../../conversations/posts.ts";
import { type ConnectorInformers, indexNames } from "../../informers.ts";
import { ProviderError } from "../../provider-error.ts";
import type { GitHubApi } from "../github-api.ts";
import { numberKey } from "../pull-requests/keys.ts";
import { repositoryOf } from "../pull-requests/lifecycle.ts";
import { postComment } from "../post-comment.ts";
import { afterFailure, changedStatus, ended } from "./lifecycle.ts";

export interface AnswerDeps {
  client: Pick<KubeClient, "find" | "patchStatus">;
  clock: Pick<Clock, "now">;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "events" | "prompts">;
}

/** Answers feedback whose prompt has ended, each by one comment; gives the milliseconds until the next try. */
export async function answerFeedback(
  deps: AnswerDeps,
  { integration, pullRequest }: { integration: Integration; pullRequest: PullRequest },
  signal: AbortSignal,
): Promise<number | undefined> {
  const waits: number[] = [];
  let live = pullRequest;
  for (const feedback of pullRequest.status?.feedback ?? []) {
    if (feedback.progress !== "Waiting" || !mayHaveEnded(deps, pullRequest, feedback)) continue;
    const waitMs = Date.parse(feedback.nextTryTime ?? "") - deps.clock.now().getTime();
    if (waitMs > 0) waits.push(waitMs);
    else live = await answer(deps, { integration, pullRequest: live }, feedback, signal);
  }
  const again = live === pullRequest ? [] : waitsOf(live, deps.clock.now());
  return waits.length + again.length === 0 ? undefined : Math.min(...waits, ...again);
}

function waitsOf({ status }: PullRequest, now: Date): number[] {
  return (status?.feedback ?? []).flatMap(({ progress, nextTryTime }) =>
    progress === "Waiting" && nextTryTime !== undefined ? [Math.max(0, Date.parse(nextTryTime) - now.getTime())] : [],
  );
}

/** Whether its Prompt has ended or was deleted, by the cache, which may not have it yet. */
function mayHaveEnded({ informers }: AnswerDeps, { metadata }: PullRequest, { promptName }: TrackedFeedback): boolean {
  const prompt = informers.prompts.get({ namespace: metadata.namespace, name: promptName });
  return !prompt || isSettled(prompt);
}

async function answer(
  deps: AnswerDeps,
  { integration, pullRequest }: { integration: Integration; pullRequest: PullRequest },
  feedback: TrackedFeedback,
  signal: AbortSignal,
): Promise<PullRequest> {
  const { client, clock } = deps;
  const { namespace } = pullRequest.metadata;
  const write = (to: PullRequest, changed: TrackedFeedback): Promise<PullRequest> =>
    client.patchStatus(PullRequest, to, changedStatus(to, changed), { signal });
  // The cache has no text of the agent's.
  const prompt = await client.find(Prompt, { namespace, name: feedback.promptName });
  const isToCome = prompt ? !isSettled(prompt) : isToBeMade(deps, pullRequest, feedback);
  if (isToCome) return pullRequest;
  if (!prompt) return write(pullRequest, ended(feedback, "Dropped"));
  const { callTime: before } = feedback;
  const calling = { ...feedback, callTime: before ?? clock.now().toISOString() };
  const noted = await write(pullRequest, calling);
  const place = { repository: repositoryOf(pullRequest), number: pullRequest.status?.number ?? 0 };
  try {
    const { text } = answerOf(prompt);
    await postComment(deps, integration, { id: feedback.id, github: place, callTime: before }, text);
    return await write(noted, ended(feedback, "Sent"));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return write(noted, afterFailure(calling, { before, error }, clock.now()));
  }
}

/** Whether the event that brought the feedback is not handled yet: it makes the Prompt after the feedback was admitted. */
function isToBeMade(
  { informers }: AnswerDeps,
  { metadata, status }: PullRequest,
  { eventUID }: TrackedFeedback,
): boolean {
  const { repositoryID = 0, number = 0 } = status ?? {};
  const key = keyText(numberKey(metadata.namespace, { repositoryID, number }));
  const events = informers.events.byIndex(indexNames.pullRequest, key);
  return events.some((event) => event.metadata.uid === eventUID && isUnsettled(event));
}
