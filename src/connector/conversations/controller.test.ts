import { expect, it } from "vitest";

import {
  type Conversation,
  type Integration,
  IntegrationEvent,
  type IntegrationEventStatus,
} from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { keyOf } from "../../lib/resource.ts";
import { ConversationReconciler, type ConversationControllerDeps } from "./controller.ts";
import { makeConversation } from "./resources.ts";

const namespace = "shop";
const integration = {
  metadata: { name: "code", namespace, uid: "i" },
  spec: {
    type: "GitHub",
    serviceAccountName: "runner",
    signingSecretRef: { name: "code" },
    credentialsSecretRef: { name: "code" },
    github: { appID: 1, slug: "helper", installationID: 2, allowedUsers: ["ann"] },
  },
} as unknown as Integration;

/** A mention by a person who is on no list. */
function mention(at: number): IntegrationEvent {
  return {
    metadata: { name: `e-${at}`, namespace, uid: `e-${at}`, resourceVersion: String(at + 1) },
    spec: {
      integrationRef: { name: "code", uid: "i" },
      deliveryID: `d-${at}`,
      receivedTime: "2026-05-04T10:15:00.000Z",
      github: {
        action: "Asked",
        repository: { id: 7, name: "acme/api" },
        number: 12,
        subjectType: "Issue",
        commentID: at + 1,
        commentType: "Comment",
        actor: { id: 9, login: "mallory" },
      },
    },
  };
}

/** A conversation with events that wait; `settles` = whether what is written of them is stored. */
function reconcilerWith(count: number, { settles = true } = {}) {
  const events = Array.from({ length: count }, (_, at) => mention(at));
  const conversation: Conversation = makeConversation(integration, mention(0));
  conversation.metadata.uid = "c";
  const waiting = (): IntegrationEvent[] => events.filter(({ status }) => status?.settledTime === undefined);
  const none = { byIndex: () => [], get: () => undefined };
  const deps = {
    clock: new FakeClock(),
    connectorMetrics: { eventSettled: () => undefined },
    providers: { GitHub: {} },
    informers: {
      conversations: { get: () => conversation },
      integrations: { get: () => integration },
      events: { byIndex: () => events },
      sessions: none,
      prompts: none,
    },
    client: {
      patchStatus(resource: unknown, event: IntegrationEvent, status: IntegrationEventStatus) {
        expect(resource).toBe(IntegrationEvent);
        if (settles) event.status = status;
        return Promise.resolve(event);
      },
    },
  } as unknown as ConversationControllerDeps;
  const pass = () => new ConversationReconciler(deps).reconcile(keyOf(conversation), new AbortController().signal);
  return { pass, waiting };
}

it.each([
  { count: 29, left: 0, ended: { kind: "done" } },
  { count: 30, left: 0, ended: { kind: "requeueAfter", delayMs: 0 } },
  { count: 31, left: 1, ended: { kind: "requeueAfter", delayMs: 0 } },
])("goes on at once after 30 steps of $count events, which are no failure", async ({ count, left, ended }) => {
  const { pass, waiting } = reconcilerWith(count);
  expect(await pass()).toEqual(ended);
  expect(waiting()).toHaveLength(left);
  expect(await pass()).toEqual({ kind: "done" });
  expect(waiting()).toEqual([]);
});

it("fails where 30 steps settle nothing", async () => {
  const { pass } = reconcilerWith(1, { settles: false });
  await expect(pass()).rejects.toThrow("did not settle in 30 steps");
});
