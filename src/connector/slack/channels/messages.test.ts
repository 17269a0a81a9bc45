import { expect, it } from "vitest";

import { anAutomation } from "../../../../test/support/builders.ts";
import {
  type Automation,
  Conversation,
  type Integration,
  type IntegrationEvent,
  Run,
  Session,
} from "../../../api/v1alpha1/index.ts";
import { systemClock } from "../../../lib/clock.ts";
import { Starts } from "../../automations/starts.ts";
import { makeThread } from "./resources.ts";
import { ChannelMessages, type ChannelMessagesDeps } from "./messages.ts";

const time = "2026-11-24T12:00:00.000Z";
const namespace = "tenant";
const event = {
  metadata: { name: "slack-1", namespace, uid: "e" },
  spec: {
    integrationRef: { name: "chat", uid: "i" },
    deliveryID: "E",
    receivedTime: time,
    slack: { action: "Said", channelID: "C0OPS", threadTS: "1.0", ts: "1.0", actor: { id: "U0ANN" }, text: "aaa" },
  },
} as const satisfies IntegrationEvent;
const integration = {
  metadata: { name: "chat", namespace, uid: "i" },
  spec: {
    type: "Slack",
    serviceAccountName: "runner",
    signingSecretRef: { name: "chat" },
    credentialsSecretRef: { name: "chat" },
    slack: { teamID: "T0ACME" },
  },
} as unknown as Integration;

function automationNamed(name: string): Automation {
  const texts = [{ operator: "RegularExpression", value: "(a+)+$b" }];
  const slack = { integrationRef: { name: "chat" }, channels: ["C0OPS"], texts };
  return anAutomation({
    metadata: { name, namespace, uid: name },
    spec: { trigger: { type: "Slack", slack } as unknown as Automation["spec"]["trigger"] },
  });
}

it("leaves a turn to others before it compares a message with the texts of another Automation", async () => {
  const automations = ["a1", "a2", "a3"].map(automationNamed);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const statuses: object[] = [];
  const clock = { ...systemClock, now: () => new Date(time) };
  const deps = {
    client: {
      patchStatus: (_kind: unknown, _event: unknown, status: object) => Promise.resolve(statuses.push(status)),
    },
    clock,
    informers: {
      integrations: { get: () => integration },
      events: { byIndex: () => [event] },
      automations: { byIndex: () => automations },
    },
    connectorMetrics: { eventSettled: () => undefined },
    starts: new Starts(clock),
    unnoted: new Set<string>(),
  } as unknown as ChannelMessagesDeps;
  setImmediate(count);
  await new ChannelMessages(deps, new AbortController().signal).reconcile({ namespace, name: "C0OPS/1.0" });
  isOver = true;
  expect(statuses).toHaveLength(1);
  expect(turns).toBeGreaterThanOrEqual(automations.length);
});

interface Stored {
  event?: IntegrationEvent;
  automations: readonly Automation[];
  find: (kind: unknown, name: string) => object | undefined;
}

/** Messages, and what is written while they are handled. */
function world({ event: stored = event, automations, find }: Stored) {
  const written: string[] = [];
  const clock = { ...systemClock, now: () => new Date(time) };
  const deps = {
    client: {
      find: (kind: unknown, { name }: { name: string }) => Promise.resolve(find(kind, name)),
      create: ({ kind }: { kind: string }, object: object) => {
        written.push(`create ${kind}`);
        return Promise.resolve(object);
      },
      patchStatus: ({ kind }: { kind: string }, _object: unknown, { triggered }: { triggered?: number }) => {
        written.push(`status of ${kind}${triggered === undefined ? "" : `, ${triggered} triggered`}`);
        return Promise.resolve({});
      },
    },
    clock,
    informers: {
      integrations: { get: () => integration },
      events: { byIndex: () => [stored] },
      automations: { byIndex: () => automations },
      prompts: { byIndex: () => [] },
    },
    connectorMetrics: { eventSettled: () => undefined },
    starts: new Starts(clock),
    unnoted: new Set<string>(),
  } as unknown as ChannelMessagesDeps;
  const handle = () =>
    new ChannelMessages(deps, new AbortController().signal).reconcile({ namespace, name: "C0OPS/1.0" });
  return { handle, written };
}

/** With room for one Run, of which so many are unfinished. */
function narrowAutomation(name: string, activeRuns: number): Automation {
  const slack = { integrationRef: { name: "chat" }, channels: ["C0OPS"], from: "Members", texts: [] };
  return anAutomation({
    metadata: { name, namespace, uid: name },
    spec: {
      trigger: { type: "Slack", slack: { ...slack, maxUnfinishedRuns: 1 } } as unknown as Automation["spec"]["trigger"],
    },
    status: { activeRuns },
  });
}

it("finds the Run that an earlier process started for a message, though it takes the one place", async () => {
  const run = { spec: { trigger: { deliveryID: event.metadata.name } } };
  const { handle, written } = world({
    automations: [narrowAutomation("ops", 1)],
    find: (kind) => (kind === Run ? run : undefined),
  });
  await handle();
  expect(written).toEqual(["create Conversation", "status of Conversation", "status of IntegrationEvent, 1 triggered"]);
});

it("makes no prompt of a reply whose sender was told to write again, while it waits for another Automation", async () => {
  const reply = { ...event, spec: { ...event.spec, slack: { ...event.spec.slack, ts: "2.0" } } };
  const early = narrowAutomation("early", 0);
  const thread = makeThread(integration, early, reply);
  const status = { runName: "r", sessionName: "r-0", startEventUID: "first", expireTime: "2026-12-01T00:00:00Z" };
  const there: { session?: object } = {};
  const { handle, written } = world({
    event: reply,
    automations: [early, narrowAutomation("full", 1)],
    find: (kind, name) => {
      if (kind === Conversation && name === thread.metadata.name) return { ...thread, status };
      if (kind === Session) return there.session;
      return kind === Run ? { metadata: {}, spec: { trigger: {} } } : undefined;
    },
  });
  await handle();
  there.session = { metadata: { name: "r-0", namespace, uid: "s" }, spec: {} };
  await handle();
  expect(written).toEqual(["status of Conversation"]);
});
