import {
  annotations,
  type Integration,
  type IntegrationEvent,
  labels,
  type Prompt,
  type PullRequest,
  type Session,
  type SkippedFeedback,
  type TrackedFeedback,
} from "../../../api/v1alpha1/index.ts";
import { promptName, stableUuid } from "../../../domain/integrations/names.ts";
import { makePrompt } from "../../../domain/prompts/make-prompt.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import { githubOf } from "../rules.ts";
import type { FeedbackKind } from "./feedback.ts";

/** Which feedback an event brought, by GitHub's number. */
export interface Subject {
  kind: FeedbackKind;
  objectID: number;
}

export function subjectOf(event: IntegrationEvent): Subject {
  const { action, reviewID, commentID } = githubOf(event);
  return action === "Reviewed"
    ? { kind: "Review", objectID: reviewID ?? 0 }
    : { kind: "Comment", objectID: commentID ?? 0 };
}

/** The entry of feedback that is skipped. */
export function makeSkip(
  pullRequest: PullRequest,
  event: IntegrationEvent,
  { reason, message, now }: { reason: string; message: string; now: Date },
): SkippedFeedback {
  const subject = subjectOf(event);
  return {
    id: feedbackId(pullRequest, subject),
    ...subject,
    eventUID: event.metadata.uid ?? "",
    time: now.toISOString(),
    reason,
    message: firstCharacters(message, 1_024),
  };
}

/** The entry of feedback that is admitted; two events of the same review or comment have the same one. */
export function makeFeedback(
  { metadata, spec }: PullRequest,
  { kind, objectID }: Subject,
  { event, now }: { event: IntegrationEvent; now: Date },
): TrackedFeedback {
  const id = feedbackId({ metadata }, { kind, objectID });
  return {
    id,
    kind,
    objectID,
    eventUID: event.metadata.uid ?? "",
    admittedTime: now.toISOString(),
    promptName: promptName(spec.sessionRef, id),
    progress: "Waiting",
  };
}

export function feedbackId({ metadata }: Pick<PullRequest, "metadata">, { kind, objectID }: Subject): string {
  return stableUuid("Feedback", metadata.uid ?? "", kind, String(objectID));
}

/** The Prompt that feedback becomes. */
export function makeFeedbackPrompt(
  { integration, session, pullRequest }: { integration: Integration; session: Session; pullRequest: PullRequest },
  { name, text, login }: { name: string; text: string; login: string },
): Prompt {
  const prompt = makePrompt(session, { name, text });
  const installation = integration.spec.github?.installationID ?? "";
  return {
    ...prompt,
    metadata: {
      ...prompt.metadata,
      labels: { ...prompt.metadata.labels, [labels.pullRequestUid]: pullRequest.metadata.uid ?? "" },
      annotations: { [annotations.requestedBy]: `github:${installation}:${login}` },
    },
    spec: { ...prompt.spec, origin: "PullRequestFeedback" },
  };
}
