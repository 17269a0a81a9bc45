import {
  annotations,
  Conversation,
  type Integration,
  type IntegrationEvent,
  labels,
  type Prompt,
  type PromptImage,
  type Session,
  type SessionTarget,
  type Target,
} from "../../api/v1alpha1/index.ts";
import { Integration as IntegrationKind } from "../../api/v1alpha1/index.ts";
import { conversationName } from "../../domain/integrations/names.ts";
import { makePrompt } from "../../domain/prompts/make-prompt.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";
import { promptNameFor } from "./facts.ts";
import { rulesOf } from "./rules.ts";

/** The Conversation of an event; it goes with its Integration. */
export function makeConversation(integration: Integration, event: IntegrationEvent): Conversation {
  const { name = "", namespace, uid = "" } = integration.metadata;
  const subject = rulesOf(event).subjectOf(event);
  return {
    metadata: {
      name: conversationName({ name, uid }, subject),
      namespace,
      ownerReferences: [ownerReferenceTo(IntegrationKind, integration)],
    },
    spec: { integrationRef: { name, uid }, subject },
  };
}

/** The Session that a Conversation's status names; it goes with the Conversation. */
export function makeSession(
  integration: Integration,
  conversation: Conversation,
  { event, title }: { event: IntegrationEvent; title: string },
): Session {
  const { sandboxClassName, serviceAccountName } = integration.spec;
  const { sessionName: name, target } = conversation.status ?? {};
  return {
    metadata: {
      name,
      namespace: conversation.metadata.namespace,
      labels: { [labels.conversationUid]: conversation.metadata.uid ?? "" },
      annotations: { [annotations.requestedBy]: rulesOf(event).requesterOf(integration, event) },
      ownerReferences: [ownerReferenceTo(Conversation, conversation)],
    },
    spec: {
      title: firstCharacters(title, 200),
      target: sessionTarget(target),
      ...(sandboxClassName !== undefined && { sandboxClassName }),
      serviceAccountName,
      idleTimeoutSeconds,
    },
  };
}

const idleTimeoutSeconds = 600;

interface Requested {
  event: IntegrationEvent;
  /** The event of the person who asked; left out, it is the same. */
  asked?: IntegrationEvent;
  text: string;
  images?: readonly PromptImage[] | undefined;
}

/** The Prompt of a Session for an event. */
export function makeEventPrompt(
  integration: Integration,
  session: Session,
  { event, asked = event, text, images }: Requested,
): Prompt {
  const { uid = "" } = event.metadata;
  const prompt = makePrompt(session, { name: promptNameFor(session, uid), text, images });
  const conversation = session.metadata.labels?.[labels.conversationUid] ?? "";
  return {
    ...prompt,
    metadata: {
      ...prompt.metadata,
      labels: { ...prompt.metadata.labels, [labels.conversationUid]: conversation },
      annotations: { [annotations.requestedBy]: rulesOf(asked).requesterOf(integration, asked) },
    },
  };
}

function sessionTarget(target: Target | undefined): SessionTarget {
  if (target?.environmentRef) return { environmentRef: target.environmentRef };
  return target?.repositoryRef ? { repositoryRefs: [target.repositoryRef] } : {};
}
