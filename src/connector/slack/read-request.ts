import { type Integration, IntegrationEvent, type SlackEvent, type Target } from "../../api/v1alpha1/index.ts";
import { answerTo, type ConversationFacts, mappedSession, requestOf, sessionFor } from "../conversations/facts.ts";
import type { Read } from "../conversations/provider.ts";
import { accessVerdict } from "../conversations/refuse.ts";
import { targetExists } from "../conversations/target-exists.ts";
import type { ConnectorInformers } from "../informers.ts";
import type { KubeClient } from "../../kube/client.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { keyOf } from "../../lib/resource.ts";
import { judgeAccess } from "./access.ts";
import { promptText } from "./prompt-text.ts";
import { earlierMessages } from "./read-thread.ts";
import type { RequestImages } from "./request-images.ts";
import { slackOf } from "./rules.ts";
import type { SlackApi } from "./slack-api.ts";
import type { UserGroups } from "./user-groups.ts";
import { chosenTarget, decideTarget } from "./target.ts";
import { unlessRefused } from "../unless-refused.ts";

export interface RequestReaderDeps {
  slack: Pick<SlackApi, "call">;
  informers: Pick<ConnectorInformers, "repositories" | "environments">;
  client: Pick<KubeClient, "find">;
  images: Pick<RequestImages, "read">;
  groups: Pick<UserGroups, "hasMember">;
}

/** Reads what the first event that waits is about: its target, and the text of its prompt. @throws ProviderError */
export async function readRequest(deps: RequestReaderDeps, facts: ConversationFacts, now: Date): Promise<Read> {
  const [event] = facts.events;
  const cached = event && requestOf(facts, event);
  if (!cached) throw new Error("there is no request that could be read");
  const request = await withText(deps, cached);
  const isTaken = answerTo(facts.conversation, request) !== undefined;
  if (!isTaken && !(await mayAsk(deps, facts.integration, slackOf(request)))) {
    const denied = { kind: "refused", reason: "AccessDenied", message: accessVerdict.message } as const;
    return { title: "", text: "", target: denied, isWhole: true };
  }
  const place = placeOf(facts, { event, request }, now);
  const target: Read["target"] = place.decided
    ? { kind: "target", target: place.decided }
    : targetOf(deps, facts.integration, { event: slackOf(event), request: slackOf(request) });
  const title = titleOf(slackOf(request));
  if (target.kind !== "target") return { title, text: "", target, isWhole: true };
  const images = await readImages(deps, facts, request, now);
  if (images.isEmpty) return { title, text: "", target, isWhole: true, ...images };
  return { title, target, ...images, ...(await readText(deps, facts.integration, slackOf(request), place)) };
}

/** Images of a request with a text are read once its session is there; of one without, to see whether something is left. */
async function readImages(
  { images: reader }: RequestReaderDeps,
  facts: ConversationFacts,
  request: IntegrationEvent,
  now: Date,
): Promise<Pick<Read, "images" | "imagesNote" | "isEmpty">> {
  const { text, forwarded, files } = slackOf(request);
  const session = sessionFor(facts, request, now);
  const hasText = text !== undefined || forwarded !== undefined;
  if (files === undefined || (hasText && !session)) return {};
  const { images, note } = await reader.read(facts.integration, { event: request, session }, now);
  return { images, imagesNote: note, isEmpty: !hasText && images.length === 0 };
}

/** Of a person who is on no list, the user groups decide. */
async function mayAsk({ groups }: RequestReaderDeps, integration: Integration, event: SlackEvent): Promise<boolean> {
  const { spec } = integration;
  if (judgeAccess(spec, event) !== "members") return true;
  return groups.hasMember(integration, spec.access.userGroups, event.actor?.id ?? "");
}

/** What a request is in its thread. */
interface Place {
  isFollowUp: boolean;
  /** The message up to which an earlier prompt had the thread. */
  afterTS: string | undefined;
  /** What was decided stays: a thread with a session is never routed again. */
  decided: Target | undefined;
}

function placeOf(
  facts: ConversationFacts,
  { event, request }: { event: IntegrationEvent; request: IntegrationEvent },
  now: Date,
): Place {
  const { startEventUID, lastPromptTS, target } = facts.conversation?.status ?? {};
  const answer = answerTo(facts.conversation, request);
  if (answer) {
    return { isFollowUp: startEventUID !== request.metadata.uid, afterTS: answer.slack?.afterTS, decided: target };
  }
  const isFollowUp = mappedSession(facts, now) !== undefined;
  const isChoice = slackOf(event).choice !== undefined;
  return { isFollowUp, afterTS: lastPromptTS, decided: isFollowUp && !isChoice ? target : undefined };
}

async function readText(
  deps: RequestReaderDeps,
  integration: Integration,
  event: SlackEvent,
  { isFollowUp, afterTS }: Place,
): Promise<Pick<Read, "text" | "isWhole">> {
  const { messages, isWhole } = await earlierMessages(deps.slack, integration, { event, afterTS, isFollowUp });
  const hasChannel = !isFollowUp && event.channelType !== "Direct";
  const text = promptText({
    event,
    name: await nameOf(deps, integration, event.actor?.id),
    channel: hasChannel ? await channelOf(deps, integration, event.channelID) : undefined,
    earlier: messages,
    instructions: isFollowUp ? undefined : integration.spec.sessionInstructions,
  });
  return { text, isWhole };
}

function titleOf({ text }: SlackEvent): string {
  return text === undefined ? "Slack" : firstCharacters(text, 120);
}

/** Caches leave the text of events that were handled out. */
async function withText({ client }: RequestReaderDeps, event: IntegrationEvent): Promise<IntegrationEvent> {
  if (event.status?.settledTime === undefined) return event;
  return (await client.find(IntegrationEvent, keyOf(event))) ?? event;
}

function targetOf(
  { informers }: RequestReaderDeps,
  integration: Integration,
  { event, request }: { event: SlackEvent; request: SlackEvent },
): Read["target"] {
  const { slack: settings } = integration.spec;
  if (!settings) throw new Error("the Integration is none of Slack's");
  const exists = (target: Target): boolean => targetExists(informers, integration, target);
  if (!event.choice) return decideTarget({ settings, event: request, exists });
  const target = chosenTarget({ settings, exists }, event.choice.value);
  return target ? { kind: "target", target } : { kind: "gone" };
}

async function nameOf({ slack }: RequestReaderDeps, integration: Integration, user = ""): Promise<string | undefined> {
  const answer = await unlessRefused(slack.call(integration, "users.info", (web) => web.users.info({ user })));
  const { profile, real_name: realName } = answer?.user ?? {};
  return [profile?.display_name, realName].find((name) => name !== undefined && name !== "");
}

async function channelOf(
  { slack }: RequestReaderDeps,
  integration: Integration,
  channel: string,
): Promise<{ name: string; description: string } | undefined> {
  const answer = await unlessRefused(
    slack.call(integration, "conversations.info", (web) => web.conversations.info({ channel })),
  );
  const { name, purpose } = answer?.channel ?? {};
  return name === undefined ? undefined : { name, description: purpose?.value ?? "" };
}
