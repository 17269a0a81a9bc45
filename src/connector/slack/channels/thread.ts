import {
  type Automation,
  Conversation,
  type Integration,
  type IntegrationEvent,
  Prompt,
  Run,
  Session,
} from "../../../api/v1alpha1/index.ts";
import { isReply } from "../../../domain/integrations/slack-wanted.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import { createOnce } from "../../create-once.ts";
import { type ConnectorInformers, indexNames, sessionIndexKey } from "../../informers.ts";
import { slackOf } from "../rules.ts";
import type { ThreadFacts } from "./decide.ts";
import {
  earlyStatus,
  hasPost,
  makeReplyPrompt,
  makeThread,
  replyPromptName,
  startedStatus,
  steeredStatus,
  threadKeyOf,
} from "./resources.ts";

export interface ThreadDeps {
  client: Pick<KubeClient, "create" | "find" | "patchStatus">;
  clock: Pick<Clock, "now">;
  informers: Pick<ConnectorInformers, "events" | "prompts">;
}

/** A message, and the Automation that it is held against. */
export interface AboutThread {
  integration: Integration;
  automation: Automation;
  event: IntegrationEvent;
}

/** Reads what is known of a message's thread; caches may lack what the message before it led to. */
export async function observeThread(
  { client, informers }: ThreadDeps,
  { integration, automation, event }: AboutThread,
): Promise<ThreadFacts> {
  if (!isReply(slackOf(event)) && !isAnswered(informers, event)) return { unfinishedPrompts: 0 };
  const conversation = await client.find(Conversation, keyOf(makeThread(integration, automation, event)));
  const { runName, sessionName } = conversation?.status ?? {};
  if (!conversation || runName === undefined || sessionName === undefined) return { unfinishedPrompts: 0 };
  const { namespace } = event.metadata;
  const session = await client.find(Session, { namespace, name: sessionName });
  if (!session)
    return { conversation, run: await client.find(Run, { namespace, name: runName }), unfinishedPrompts: 0 };
  const key = sessionIndexKey(namespace, session.metadata.uid ?? "");
  const prompts = informers.prompts.byIndex(indexNames.session, key);
  const prompt = prompts.find(({ metadata }) => metadata.name === replyPromptName(session, event));
  return { conversation, session, prompt, unfinishedPrompts: prompts.filter((one) => !isSettled(one)).length };
}

/** Whether another message of the same thread has come. */
function isAnswered({ events }: Pick<ConnectorInformers, "events">, event: IntegrationEvent): boolean {
  return events.byIndex(indexNames.thread, keyText(threadKeyOf(event))).length > 1;
}

/** Notes that a message has started a Run, to whose session replies go from now on. */
export async function noteStart(
  { client, clock }: ThreadDeps,
  about: AboutThread,
  runName: string,
  signal: AbortSignal,
): Promise<void> {
  const { integration, automation, event } = about;
  const conversation = await createOnce(client, Conversation, makeThread(integration, automation, event), signal);
  if (conversation.status?.startEventUID === event.metadata.uid) return;
  const status = startedStatus(conversation, { event, runName }, clock.now());
  await client.patchStatus(Conversation, conversation, status, { signal });
}

/** Makes a reply the follow-up prompt of the thread's session; gives the Prompt's name. */
export async function steer(
  { client, clock }: ThreadDeps,
  { integration, event }: Pick<AboutThread, "integration" | "event">,
  { conversation, session }: { conversation: Conversation; session: Session },
  signal: AbortSignal,
): Promise<string> {
  const wanted = makeReplyPrompt(integration, { conversation, session, event });
  const prompt = await createOnce(client, Prompt, wanted, signal);
  if (!hasPost(conversation, event, "Answer")) {
    const status = steeredStatus(conversation, { event, prompt }, clock.now());
    await client.patchStatus(Conversation, conversation, status, { signal });
  }
  return prompt.metadata.name ?? "";
}

/** Has the sender told that there is no session yet. */
export async function noteEarly(
  { client, clock }: ThreadDeps,
  event: IntegrationEvent,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<void> {
  if (hasPost(conversation, event, "PrivateNote")) return;
  await client.patchStatus(Conversation, conversation, earlyStatus(conversation, event, clock.now()), { signal });
}
