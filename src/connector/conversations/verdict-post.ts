import type { Conversation, IntegrationEvent, Post } from "../../api/v1alpha1/index.ts";

/** Posts that say what becomes of an event; the first step for an event stores one of them. */
const verdictKinds: readonly Post["kind"][] = [
  "Answer",
  "Question",
  "Refusal",
  "StopNotice",
  "StopRefusal",
  "Choice",
  "PrivateNote",
  "Help",
];

/** The post that says what becomes of an event; undefined before that is decided. */
export function verdictPost({ status }: Conversation, { metadata }: IntegrationEvent): Post | undefined {
  return status?.posts?.find(({ eventUID, kind }) => eventUID === metadata.uid && verdictKinds.includes(kind));
}
