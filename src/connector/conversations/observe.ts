import { Conversation, Integration, type IntegrationEvent, type Prompt } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject, ObjectKey } from "../../lib/resource.ts";
import { keyText } from "../../lib/resource.ts";
import { type ConnectorInformers, conversationIndexKey, indexNames } from "../informers.ts";
import { ProviderError } from "../provider-error.ts";
import type { Made } from "./effects.ts";
import { type ConversationFacts, isUnsettled, type Reading } from "./facts.ts";
import { needsReading } from "./needs-reading.ts";
import { findPromised } from "./promised.ts";
import type { Provider, Providers } from "./provider.ts";
import { inTurn } from "./turns.ts";

export interface ObserverDeps {
  client: Pick<KubeClient, "find">;
  informers: ConnectorInformers;
  providers: Providers;
}

/** Reads all that a decision about a conversation rests on; undefined where nothing is left, or its Integration is gone. */
export async function observeConversation(
  deps: ObserverDeps,
  key: ObjectKey,
  { made, now }: { made: Made; now: Date },
): Promise<ConversationFacts | undefined> {
  const { client, informers, providers } = deps;
  const conversation = alive(informers.conversations.get(key));
  const all = informers.events.byIndex(indexNames.conversation, keyText(key));
  const events = inTurn(all.filter(isUnsettled));
  const reference = conversation?.spec.integrationRef ?? events[0]?.spec.integrationRef;
  if (!reference) return undefined;
  const integration = readIntegration(informers, {
    metadata: { namespace: key.namespace },
    spec: { integrationRef: reference },
  });
  if (!integration) return undefined;
  const known = new Map(all.map((event) => [event.metadata.uid ?? "", event]));
  const cached = { integration, conversation, events, known, ...childrenOf(informers, conversation, made) };
  const isBehind = await findPromised(client, { facts: cached, made }, now);
  const facts = isBehind ? { ...cached, ...childrenOf(informers, conversation, made) } : cached;
  if (!needsReading(facts, now)) return facts;
  return { ...facts, reading: await read(providers[integration.spec.type], facts, now) };
}

async function read(provider: Provider, facts: ConversationFacts, now: Date): Promise<Reading> {
  try {
    return { kind: "read", ...(await provider.read(facts, now)) };
  } catch (error) {
    if (error instanceof ProviderError) return { kind: "failed", error };
    throw error;
  }
}

/** Sessions and Prompts that the conversation owns, by name. */
function childrenOf(
  informers: Pick<ConnectorInformers, "sessions" | "prompts">,
  conversation: Conversation | undefined,
  made: Made,
): Pick<ConversationFacts, "sessions" | "prompts"> {
  const { namespace, uid = "" } = conversation?.metadata ?? {};
  const key = conversationIndexKey(namespace, uid);
  const sessions = informers.sessions
    .byIndex(indexNames.conversation, key)
    .filter((session) => isOwnedBy(session, uid));
  const owners = new Set([...sessions, ...made.sessions.values()].map(({ metadata }) => metadata.uid));
  const prompts = informers.prompts
    .byIndex(indexNames.conversation, key)
    .filter(({ metadata }) => owners.has(metadata.ownerReferences?.[0]?.uid));
  return {
    sessions: byName([...made.sessions.values(), ...sessions]),
    prompts: byName([...made.prompts.values(), ...prompts, ...awaitedPrompts(informers, conversation)]),
  };
}

/** Prompts of an Automation's session, which the Conversation does not own, that posts wait for. */
function awaitedPrompts(
  { prompts }: Pick<ConnectorInformers, "prompts">,
  conversation: Conversation | undefined,
): Prompt[] {
  const { namespace } = conversation?.metadata ?? {};
  return (conversation?.status?.posts ?? []).flatMap(({ promptName: name, sessionName }) => {
    const found = name === undefined ? undefined : prompts.get({ namespace, name });
    return found?.spec.sessionRef.name === sessionName ? (found ?? []) : [];
  });
}

/** By name, the later of two; what is being deleted is left out. */
function byName<T extends KubeObject>(objects: readonly T[]): Map<string, T> {
  return new Map(objects.filter(isAlive).map((object) => [object.metadata.name ?? "", object]));
}

function isOwnedBy({ metadata }: KubeObject, uid: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.kind === Conversation.kind && owner.uid === uid) ?? false;
}

function isAlive({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function alive<T extends KubeObject>(object: T | undefined): T | undefined {
  return object && isAlive(object) ? object : undefined;
}

/** The Integration that an object names; undefined where it is gone, and where it cannot be read. */
export function readIntegration(
  { integrations }: Pick<ConnectorInformers, "integrations">,
  {
    metadata: { namespace },
    spec: { integrationRef },
  }: { metadata: { namespace?: string | undefined }; spec: Pick<IntegrationEvent["spec"], "integrationRef"> },
): Integration | undefined {
  const { name, uid } = integrationRef;
  const found = readable(integrations.get({ namespace, name }));
  return found?.metadata.uid === uid ? found : undefined;
}

/** With defaults; undefined where an earlier version stored what this one cannot read. */
function readable(integration: Integration | undefined): Integration | undefined {
  const parsed = integration && isAlive(integration) ? Integration.schema.safeParse(integration) : undefined;
  return parsed?.data && integration ? { ...integration, spec: parsed.data.spec } : undefined;
}
