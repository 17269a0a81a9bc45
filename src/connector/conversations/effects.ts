import {
  Conversation,
  type ConversationStatus,
  IntegrationEvent,
  type IntegrationEventStatus,
  Prompt,
  Session,
} from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isForbidden, isInvalid, isNotFound } from "../../kube/errors.ts";
import { keyOf, type KubeObject } from "../../lib/resource.ts";
import { createOnce } from "../create-once.ts";
import type { DuePost } from "./due-post.ts";

/** One write, or calls of the provider and the write of what came of them. */
export type ConversationEffect =
  | { kind: "createConversation"; conversation: Conversation }
  | { kind: "writeStatus"; conversation: Conversation; status: ConversationStatus }
  | { kind: "createSession"; session: Session }
  | { kind: "createPrompt"; prompt: Prompt }
  /** Where a cancel is refused, `otherwise` is performed in place of what follows; where that is left out, the pass fails and is tried again. */
  | { kind: "cancelPrompts"; prompts: readonly Prompt[]; otherwise: ConversationEffect | undefined }
  | { kind: "settleEvent"; event: IntegrationEvent; status: IntegrationEventStatus }
  | { kind: "tell"; posts: readonly DuePost[] };

/** Sessions and Prompts that this pass made or found made; caches may not have them yet. */
export interface Made {
  sessions: Map<string, Session>;
  prompts: Map<string, Prompt>;
}

export interface EffectsDeps {
  client: Pick<KubeClient, "create" | "find" | "patch" | "patchStatus">;
  made: Made;
  /** Posts at the provider and writes what came of it. */
  tell: (posts: readonly DuePost[], signal: AbortSignal) => Promise<void>;
}

/** Performs effects in their order; the first failure ends the pass. Each leaves a state that the next one goes on from. */
export async function performAll(
  deps: EffectsDeps,
  effects: readonly ConversationEffect[],
  signal: AbortSignal,
): Promise<void> {
  for (const effect of effects) {
    if ((await perform(deps, effect, signal)) === "stop") return;
  }
}

async function perform(
  { client, made, tell }: EffectsDeps,
  effect: ConversationEffect,
  signal: AbortSignal,
): Promise<"stop" | undefined> {
  switch (effect.kind) {
    case "createConversation":
      await createOnce(client, Conversation, effect.conversation, signal);
      return undefined;
    case "writeStatus":
      await client.patchStatus(Conversation, effect.conversation, effect.status, { signal });
      return undefined;
    case "createSession":
      keep(made.sessions, await createOnce(client, Session, effect.session, signal));
      return undefined;
    case "createPrompt":
      keep(made.prompts, await createOnce(client, Prompt, effect.prompt, signal));
      return undefined;
    case "cancelPrompts":
      return cancelPrompts({ client, made, tell }, effect, signal);
    case "settleEvent":
      await client.patchStatus(IntegrationEvent, effect.event, effect.status, { signal });
      return undefined;
    case "tell":
      await tell(effect.posts, signal);
      return undefined;
  }
}

function keep<T extends KubeObject>(made: Map<string, T>, object: T): void {
  made.set(object.metadata.name ?? "", object);
}

async function cancelPrompts(
  deps: EffectsDeps,
  { prompts, otherwise }: Extract<ConversationEffect, { kind: "cancelPrompts" }>,
  signal: AbortSignal,
): Promise<"stop" | undefined> {
  try {
    for (const prompt of prompts) {
      await deps.client.patch(Prompt, keyOf(prompt), { spec: { cancel: true } }, { signal }).catch(unlessGone);
    }
    return undefined;
  } catch (error) {
    if (!otherwise || (!isForbidden(error) && !isInvalid(error))) throw error;
    await perform(deps, otherwise, signal);
    return "stop";
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
