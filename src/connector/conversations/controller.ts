import { Conversation, type IntegrationEvent, labels, type Prompt } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { makeController } from "../../kube/make-controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { keyOf, type KubeObject, keyText, type ObjectKey } from "../../lib/resource.ts";
import { isOfConversation } from "../github/rules.ts";
import { type ConnectorInformers, indexNames } from "../informers.ts";
import { inLanes, Lanes } from "../lanes.ts";
import type { ConnectorMetrics } from "../metrics/connector-metrics.ts";
import { decide } from "./decide.ts";
import { type ConversationEffect, type Made, performAll } from "./effects.ts";
import { conversationKeyOf } from "./facts.ts";
import { observeConversation } from "./observe.ts";
import { settleSample } from "./sample.ts";
import type { Providers } from "./provider.ts";
import { rulesOf } from "./rules.ts";
import { tellPosts } from "./tell.ts";
import { eventsOfIntegration } from "../events/of-integration.ts";

export interface ConversationControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: ConnectorInformers;
  providers: Providers;
  events: Pick<EventRecorder, "record">;
  connectorMetrics: ConnectorMetrics;
}

/** Steps of one pass. Where the event that was first is not settled by then, that is a sign of a decision that never settles. */
const mostSteps = 30;
/** Conversations of one Integration that are worked on at a time, so that a slow provider does not hold up the others. */
const mostOfOne = 4;
const busyMs = 250;

/** The controller of Conversations: events become sessions and prompts, and what is to be posted is posted. */
export function conversationController(deps: ConversationControllerDeps): Controller {
  const { informers } = deps;
  const options = { name: "conversation", concurrency: 32 };
  const controller = makeController(deps, options, (client) =>
    inLanes(new ConversationReconciler({ ...deps, client }), new Lanes({ ofOne: mostOfOne }), (key) =>
      integrationOf(informers, key),
    ),
  );
  const ofEvent = (event: IntegrationEvent): ObjectKey[] => (isOfConversation(event) ? [conversationKeyOf(event)] : []);
  controller.watch(informers.events, { keysOf: ofEvent });
  controller.watch(informers.conversations, { keysOf: (conversation) => [keyOf(conversation)] });
  const ofConversation = (object: KubeObject): ObjectKey[] => conversationsOf(informers, object);
  controller.watch(informers.sessions, { keysOf: ofConversation });
  controller.watch(informers.prompts, {
    keysOf: (prompt) => [...ofConversation(prompt), ...conversationsAwaiting(informers, prompt)],
  });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  return controller;
}

/** The conversation of a Session or Prompt, whose name only its owner knows. */
function conversationsOf({ conversations, sessions }: ConnectorInformers, { metadata }: KubeObject): ObjectKey[] {
  const { namespace } = metadata;
  const [owner] = metadata.ownerReferences ?? [];
  if (!owner || metadata.labels?.[labels.conversationUid] === undefined) return [];
  if (owner.kind === Conversation.kind) return [{ namespace, name: owner.name }];
  const session = sessions.get({ namespace, name: owner.name });
  const above = session?.metadata.ownerReferences?.[0];
  return above && conversations.get({ namespace, name: above.name }) ? [{ namespace, name: above.name }] : [];
}

/** The conversations of Automations that wait for a Prompt of theirs, of which they are no owner. */
function conversationsAwaiting({ conversations }: ConnectorInformers, prompt: Prompt): ObjectKey[] {
  return conversations.byIndex(indexNames.prompt, keyText(keyOf(prompt))).map(keyOf);
}

/** Works on one Conversation: all that its events and posts ask for, step by step. */
export class ConversationReconciler implements Reconciler {
  readonly #deps: ConversationControllerDeps;

  constructor(deps: ConversationControllerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const made: Made = { sessions: new Map(), prompts: new Map() };
    let first: string | undefined;
    let isSettled = false;
    for (let step = 0; step < mostSteps; step += 1) {
      const now = this.#deps.clock.now();
      const facts = await observeConversation(this.#deps, key, { made, now });
      if (!facts) return done;
      const waiting = facts.events.map(({ metadata: { uid } }) => uid);
      first ??= waiting[0];
      isSettled = first !== undefined && !waiting.includes(first);
      const sample = facts.events.find((event) => rulesOf(event).askOf(event) === "Test");
      if (sample) {
        await settleSample(this.#deps, facts.integration, sample, signal);
        continue;
      }
      const { effects, requeueMs } = decide(facts, now);
      if (effects.length === 0) return requeueMs === undefined ? done : requeueAfter(requeueMs);
      const provider = this.#deps.providers[facts.integration.spec.type];
      if (effects.some((effect) => effect.kind === "settleEvent" && provider.isAcknowledging?.(effect.event))) {
        return requeueAfter(busyMs);
      }
      const tell = async (posts: Extract<ConversationEffect, { kind: "tell" }>["posts"]): Promise<void> => {
        const { integration, conversation } = facts;
        if (conversation) await tellPosts({ ...this.#deps, provider }, { integration, conversation }, posts, signal);
      };
      await performAll({ client: this.#deps.client, made, tell }, effects, signal);
      this.#count(effects);
    }
    // Others have their turn in between.
    if (isSettled) return requeueAfter(0);
    throw new Error(`conversation ${keyText(key)} did not settle in ${mostSteps} steps`);
  }

  #count(effects: readonly ConversationEffect[]): void {
    for (const effect of effects) {
      if (effect.kind !== "settleEvent") continue;
      const { reason = "" } = findCondition(effect.status.conditions, conditionTypes.succeeded) ?? {};
      this.#deps.connectorMetrics.eventSettled(reason);
    }
  }
}

/** The UID of a conversation's Integration. */
function integrationOf({ conversations, events }: ConnectorInformers, key: ObjectKey): string | undefined {
  const [event] = events.byIndex(indexNames.conversation, keyText(key));
  return (conversations.get(key) ?? event)?.spec.integrationRef.uid;
}
