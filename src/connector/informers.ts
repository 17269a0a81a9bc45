import {
  Automation,
  Conversation,
  Environment,
  Integration,
  IntegrationEvent,
  labels,
  Prompt,
  PullRequest,
  Repository,
  Session,
  triggeringIntegrationName,
} from "../api/v1alpha1/index.ts";
import { keepOwnMetadata } from "../domain/own-metadata.ts";
import { Informer, type InformerDeps } from "../kube/informer.ts";
import { keyText } from "../lib/resource.ts";
import { conversationKeyOf, isUnsettled } from "./conversations/facts.ts";
import { numberKey, pullRequestKeyOf } from "./github/pull-requests/keys.ts";
import { isOfConversation } from "./github/rules.ts";
import { threadKeyOf } from "./slack/channels/resources.ts";
import { buttonKeyOf } from "./slack/pull-requests/facts.ts";
import { isPullRequestAsked, isSaid } from "./slack/rules.ts";
import { leanAutomation, leanEnvironment, leanEvent, leanPrompt, leanRepository, leanSession } from "./lean.ts";

/** Names of the indexes of {@link connectorInformers}. */
export const indexNames = {
  conversation: "conversation",
  session: "session",
  pullRequest: "pull-request",
  integration: "integration",
  thread: "thread",
  prompt: "prompt",
  button: "button",
  waiting: "waiting",
} as const;

export type ConnectorInformers = ReturnType<typeof connectorInformers>;

/** Caches of what the connector works on; of Sessions those alone that it made. */
export function connectorInformers(deps: InformerDeps, namespaces: readonly string[] | undefined) {
  const byUid = { [indexNames.conversation]: ofConversation };
  return {
    integrations: new Informer<Integration>(deps, Integration, { namespaces, transform: keepOwnMetadata }),
    events: new Informer<IntegrationEvent>(deps, IntegrationEvent, {
      namespaces,
      transform: leanEvent,
      indexes: {
        [indexNames.conversation]: ofSubject,
        [indexNames.pullRequest]: ofEvent,
        [indexNames.thread]: ofThread,
        [indexNames.button]: ofButton,
        [indexNames.waiting]: ofWaiting,
      },
    }),
    conversations: new Informer<Conversation>(deps, Conversation, {
      namespaces,
      transform: keepOwnMetadata,
      indexes: { [indexNames.prompt]: ofAwaitedPrompts },
    }),
    pullRequests: new Informer<PullRequest>(deps, PullRequest, {
      namespaces,
      transform: keepOwnMetadata,
      indexes: { [indexNames.session]: ofOwningSession, [indexNames.pullRequest]: ofNumber },
    }),
    sessions: new Informer<Session>(deps, Session, {
      namespaces,
      labelSelector: labels.conversationUid,
      transform: leanSession,
      indexes: byUid,
    }),
    prompts: new Informer<Prompt>(deps, Prompt, {
      namespaces,
      transform: leanPrompt,
      indexes: { ...byUid, [indexNames.session]: ofSession },
    }),
    automations: new Informer<Automation>(deps, Automation, {
      namespaces,
      transform: leanAutomation,
      indexes: { [indexNames.integration]: ofIntegration },
    }),
    repositories: new Informer<Repository>(deps, Repository, { namespaces, transform: leanRepository }),
    environments: new Informer<Environment>(deps, Environment, { namespaces, transform: leanEnvironment }),
  };
}

/** Key of the Sessions and Prompts of a conversation: people write labels, so they count within the namespace only. */
export function conversationIndexKey(namespace: string | undefined, uid: string): string {
  return keyText({ namespace, name: uid });
}

function ofSubject(event: IntegrationEvent): readonly string[] {
  return isOfConversation(event) ? [keyText(conversationKeyOf(event))] : [];
}

function ofEvent(event: IntegrationEvent): readonly string[] {
  const key = pullRequestKeyOf(event);
  return key ? [keyText(key)] : [];
}

function ofThread(event: IntegrationEvent): readonly string[] {
  return isSaid(event) ? [keyText(threadKeyOf(event))] : [];
}

function ofButton(event: IntegrationEvent): readonly string[] {
  return isPullRequestAsked(event) && isUnsettled(event) ? [keyText(buttonKeyOf(event))] : [];
}

/** Events that wait, by the name of their Integration. */
export function ofWaiting(event: IntegrationEvent): readonly string[] {
  const { namespace } = event.metadata;
  return isUnsettled(event) ? [keyText({ namespace, name: event.spec.integrationRef.name })] : [];
}

/** Prompts that posts in threads of Automations wait for. */
function ofAwaitedPrompts({ metadata: { namespace }, status }: Conversation): readonly string[] {
  const waiting = (status?.posts ?? []).filter(({ progress }) => progress === "Waiting");
  return waiting.flatMap(({ promptName: name }) => (name === undefined ? [] : [keyText({ namespace, name })]));
}

/** Those alone that its events may start. */
function ofIntegration({ metadata, spec }: Automation): readonly string[] {
  const name = triggeringIntegrationName(spec.trigger);
  return name === undefined ? [] : [keyText({ namespace: metadata.namespace, name })];
}

function ofNumber({ metadata, status }: PullRequest): readonly string[] {
  const { repositoryID, number } = status ?? {};
  if (repositoryID === undefined || number === undefined) return [];
  return [keyText(numberKey(metadata.namespace, { repositoryID, number }))];
}

function ofOwningSession({ metadata, spec }: PullRequest): readonly string[] {
  return [sessionIndexKey(metadata.namespace, spec.sessionRef.uid)];
}

function ofSession({ metadata }: Prompt): readonly string[] {
  return [sessionIndexKey(metadata.namespace, metadata.ownerReferences?.[0]?.uid ?? "")];
}

/** Key of the Prompts and PullRequests of a session. */
export function sessionIndexKey(namespace: string | undefined, sessionUid: string): string {
  return keyText({ namespace, name: sessionUid });
}

function ofConversation({ metadata }: Session | Prompt): readonly string[] {
  const uid = metadata.labels?.[labels.conversationUid];
  return uid === undefined ? [] : [conversationIndexKey(metadata.namespace, uid)];
}
