import {
  conditionTypes,
  type Conversation,
  type ConversationStatus,
  type IntegrationEvent,
  type IntegrationEventStatus,
  type Reason,
  reasonMeanings,
  reasons,
} from "../../api/v1alpha1/index.ts";
import { withMarks } from "../../domain/conditions.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { hasGivenUp } from "./posts.ts";

/** What became of an event. */
export interface Verdict extends Pick<IntegrationEventStatus, "sessionName" | "promptName"> {
  counted: "triggered" | "steered" | "skipped";
  reason: Reason;
  message: string;
  succeeded: boolean;
}

/** The status of an event that was handled. */
export function settledStatus({ metadata }: IntegrationEvent, verdict: Verdict, now: Date): IntegrationEventStatus {
  const { counted, reason, succeeded, sessionName, promptName } = verdict;
  const message = firstCharacters(verdict.message, 1_024);
  const mark = { type: conditionTypes.succeeded, status: succeeded ? "True" : "False", reason, message } as const;
  return {
    observedGeneration: metadata.generation,
    conditions: withMarks(undefined, [mark], { now, generation: metadata.generation }),
    triggered: counted === "triggered" ? 1 : 0,
    steered: counted === "steered" ? 1 : 0,
    skipped: counted === "skipped" ? 1 : 0,
    ...(sessionName !== undefined && { sessionName }),
    ...(promptName !== undefined && { promptName }),
    settledTime: now.toISOString(),
  };
}

/** The conversation with this status, and with what it comes to. */
export function judgedStatus(conversation: Conversation, status: ConversationStatus, now: Date): ConversationStatus {
  const { generation } = conversation.metadata;
  const lost = hasGivenUp({ status });
  const type = conditionTypes.ready;
  const mark = lost
    ? ({ type, status: "False", reason: reasons.postsGivenUp, message: givenUpMessage(status) } as const)
    : ({
        type,
        status: "True",
        reason: reasons.ready,
        message: "All that was to be posted was posted, or waits",
      } as const);
  const conditions = withMarks(conversation.status?.conditions, [mark], { now, generation });
  return { ...status, observedGeneration: generation, conditions };
}

function givenUpMessage({ posts = [] }: ConversationStatus): string {
  const lost = posts.filter(({ progress }) => progress === "GivenUp");
  const last = lost.at(-1);
  const { remedy } = reasonMeanings.PostsGivenUp;
  return firstCharacters(
    `${lost.length} posts were given up; the last, ${last?.kind ?? ""}: ${last?.problem ?? ""}. ${remedy}`,
    1_024,
  );
}
