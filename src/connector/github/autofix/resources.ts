import {
  annotations,
  type Integration,
  type IntegrationEvent,
  labels,
  type Prompt,
  type PullRequest,
  type Session,
  type TrackedFeedback,
} from "../../../api/v1alpha1/index.ts";
import { promptName, stableUuid } from "../../../domain/integrations/names.ts";
import { makePrompt } from "../../../domain/prompts/make-prompt.ts";
import type { FeedbackKind } from "./feedback.ts";

/** The entry of feedback that is admitted; two events of the same review or comment have the same one. */
export function makeFeedback(
  { metadata, spec }: PullRequest,
  { kind, objectID }: { kind: FeedbackKind; objectID: number },
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

export function feedbackId(
  { metadata }: Pick<PullRequest, "metadata">,
  { kind, objectID }: { kind: FeedbackKind; objectID: number },
): string {
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
