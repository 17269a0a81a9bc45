import { z } from "zod";

import { type LinearEvent, longestEventText } from "../../api/v1alpha1/index.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { named, readAs } from "../../domain/integrations/read-as.ts";

/** What says whose an event is and when it was sent, in every webhook of Linear's. */
const Envelope = z.object({ type: z.string(), organizationId: z.string(), webhookTimestamp: z.int() });

const Person = z.object({ id: z.string(), name: z.string().nullish(), email: z.string().nullish() });

const AgentSessionEvent = z.object({
  action: z.string(),
  appUserId: z.string(),
  webhookId: z.string(),
  agentSession: z.object({
    id: z.string().min(1).max(64),
    creator: Person.nullish(),
    comment: z.object({ body: z.string() }).nullish(),
    issue: z.object({ id: z.string(), identifier: z.string(), team: z.object({ key: z.string() }) }).nullish(),
  }),
  agentActivity: z
    .object({
      signal: z.string().nullish(),
      user: Person.nullish(),
      content: z.object({ body: z.string().nullish() }).nullish(),
    })
    .nullish(),
});
type AgentSessionEvent = z.output<typeof AgentSessionEvent>;

/** The type of the samples that `kubectl runwright integration test` sends. */
export const sampleType = "RunwrightTest";

/** Milliseconds that the time of a webhook may differ from ours, in either direction. */
export const freshWithinMs = 60_000;

/** An event as it is kept, or a sentence that says why it is none that an Integration handles. */
export interface ReadEvent {
  organizationId: string;
  event: LinearEvent | string;
}

/** Reads a webhook of Linear's whose signature was right. @throws Refusal `InvalidPayload` or `Stale` */
export function readLinearEvent(value: unknown, now: Date): ReadEvent {
  const { type, organizationId, webhookTimestamp } = readAs(Envelope, value, "Linear");
  if (Math.abs(now.getTime() - webhookTimestamp) > freshWithinMs) throw stale(webhookTimestamp, now);
  if (type === sampleType) return { organizationId, event: { action: "Test", agentSessionID: sampleType } };
  if (type !== "AgentSessionEvent") return { organizationId, event: `events of type ${named(type)} are not handled` };
  const parsed = readAs(AgentSessionEvent, value, "Linear");
  const action = actionOf(parsed);
  if (!action) return { organizationId, event: `action ${named(parsed.action)} is not handled` };
  return { organizationId, event: projectionOf(parsed, action) };
}

function actionOf({ action, agentActivity }: AgentSessionEvent): LinearEvent["action"] | undefined {
  if (agentActivity?.signal === "stop" || action === "stopped" || action === "cancelled") return "Stopped";
  if (action === "created") return "Created";
  return action === "prompted" ? "Prompted" : undefined;
}

/** Keeps what the connector needs; it reads the rest from Linear, so a forged event changes little. */
function projectionOf({ agentSession, agentActivity }: AgentSessionEvent, action: LinearEvent["action"]): LinearEvent {
  const { id, issue, comment, creator } = agentSession;
  const said =
    action === "Created"
      ? { person: creator, text: comment?.body }
      : { person: agentActivity?.user ?? creator, text: agentActivity?.content?.body };
  const { person, text } = said;
  return {
    action,
    agentSessionID: id,
    ...(issue && {
      issueID: firstCharacters(issue.id, 64),
      issueIdentifier: firstCharacters(issue.identifier, 64),
      teamKey: firstCharacters(issue.team.key, 64),
    }),
    ...(person && { actor: actorOf(person) }),
    ...(text && { text: firstCharacters(text, longestEventText) }),
  };
}

function actorOf({ id, name, email }: z.output<typeof Person>): NonNullable<LinearEvent["actor"]> {
  return {
    id: firstCharacters(id, 64),
    ...(name && { name: firstCharacters(name, 200) }),
    ...(email && { email: firstCharacters(email, 320) }),
  };
}

function stale(sentMs: number, now: Date): Refusal {
  const seconds = Math.round((now.getTime() - sentMs) / 1_000);
  const message = `webhookTimestamp differs from our time by ${seconds} s; at most ${freshWithinMs / 1_000} s are taken`;
  return new Refusal({ code: "Stale", message });
}
