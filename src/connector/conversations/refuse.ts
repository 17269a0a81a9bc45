import type { Conversation, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { type Decision, post, settle } from "./decision.ts";
import type { Verdict } from "./lifecycle.ts";
import { newPost } from "./posts.ts";
import { rulesOf } from "./rules.ts";

export const accessVerdict: Verdict = refusedVerdict(
  "AccessDenied",
  "The person is on none of the integration's access lists",
);

export function refusedVerdict(reason: Verdict["reason"], message: string): Verdict {
  return { counted: "skipped", succeeded: false, reason, message };
}

/** A request that is refused: the person reads `text`, except where the provider's rules have nothing said. */
export function refuse(
  conversation: Conversation,
  event: IntegrationEvent,
  { reason, message, text }: Pick<Verdict, "reason" | "message"> & { text: string | undefined },
  now: Date,
): Decision {
  if (text === undefined || rulesOf(event).accessDenied === undefined) {
    return settle(event, refusedVerdict(reason, message), now);
  }
  return post(conversation, newPost("Refusal", event, { progress: "Pending", text }), now);
}
