import { Conversation, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import { deleteUnchanged } from "../../kube/delete-unchanged.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { isFinished } from "../conversations/due-post.ts";
import type { ConnectorInformers } from "../informers.ts";

export interface SweepDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<ConnectorInformers, "events" | "conversations">;
}

const everyMs = 600_000;
/** A settled event is kept for 7 days: its name is what a repeated delivery meets. */
const eventMs = 604_800_000;
/** A conversation is kept for 30 days after its last prompt. */
const conversationMs = 2_592_000_000;

/** Deletes events and conversations, with their sessions, when their time is over. */
export function sweepController(deps: SweepDeps): Controller {
  const { informers, clock } = deps;
  const controller = new Controller(deps, {
    name: "integration-sweep",
    concurrency: 1,
    reconciler: {
      async reconcile(_key, signal): Promise<Outcome> {
        const nowMs = clock.now().getTime();
        for (const event of informers.events.list().filter((one) => isOldEvent(one, nowMs))) {
          await deleteUnchanged(deps.client, IntegrationEvent, event, signal);
        }
        for (const conversation of informers.conversations.list().filter((one) => isOldConversation(one, nowMs))) {
          await deleteUnchanged(deps.client, Conversation, conversation, signal);
        }
        return requeueAfter(everyMs);
      },
    },
  });
  controller.watch(informers.events, { keysOf: () => [] });
  controller.watch(informers.conversations, { keysOf: () => [] });
  controller.enqueue({ name: "everything" });
  return controller;
}

export function isOldEvent({ status, metadata }: IntegrationEvent, nowMs: number): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.settledTime === undefined) return false;
  return nowMs - Date.parse(status.settledTime) >= eventMs;
}

export function isOldConversation({ status, metadata }: Conversation, nowMs: number): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.posts?.some((post) => !isFinished(post))) return false;
  return nowMs - Date.parse(status?.lastPromptTime ?? metadata.creationTimestamp ?? "") >= conversationMs;
}
