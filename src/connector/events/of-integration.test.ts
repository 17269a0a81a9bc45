import { expect, it } from "vitest";

import type { Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { Cache } from "../../kube/cache.ts";
import type { Controller } from "../../kube/controller.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { keyOf } from "../../lib/resource.ts";
import { conversationController } from "../conversations/controller.ts";
import { automationEventController } from "../github/automations/controller.ts";
import { pullRequestEventController } from "../github/pull-requests/events.ts";
import { channelController } from "../slack/channels/controller.ts";
import { homeController } from "../slack/home/controller.ts";
import { pullRequestButtonController } from "../slack/pull-requests/controller.ts";
import { indexNames, ofWaiting } from "../informers.ts";
import { eventsOfIntegration } from "./of-integration.ts";

function anIntegration(generation: number, resourceVersion: string): Integration {
  return { metadata: { namespace: "shop", name: "chat", uid: "i", generation, resourceVersion } } as Integration;
}

function anEvent(name: string, { namespace = "shop", integration = "chat", settledTime = "" } = {}): IntegrationEvent {
  return {
    metadata: { namespace, name, uid: name, resourceVersion: "1" },
    spec: { integrationRef: { name: integration, uid: "i" } },
    ...(settledTime !== "" && { status: { settledTime } }),
  } as IntegrationEvent;
}

const events = new Cache<IntegrationEvent>({ indexes: { [indexNames.waiting]: ofWaiting } });
for (const event of [
  anEvent("waits"),
  anEvent("settled", { settledTime: "2026-05-04T10:15:00Z" }),
  anEvent("other", { integration: "code" }),
  anEvent("stranger", { namespace: "elsewhere" }),
])
  events.put(event);

const rule = eventsOfIntegration({ events }, (event) => (event.metadata.name === "" ? [] : [keyOf(event)]));

it("wakes the events that wait for an Integration, and no other", () => {
  expect(rule.keysOf(anIntegration(1, "1"))).toEqual([{ namespace: "shop", name: "waits" }]);
});

it.each([
  {
    name: "one that is seen for the first time",
    change: { type: "added" as const, object: anIntegration(1, "1") },
    want: true,
  },
  {
    name: "changed settings",
    change: { type: "updated" as const, old: anIntegration(1, "1"), object: anIntegration(2, "2") },
    want: true,
  },
  {
    name: "a new one of the same name",
    change: {
      type: "updated" as const,
      old: { ...anIntegration(1, "1"), metadata: { ...anIntegration(1, "1").metadata, uid: "before" } },
      object: anIntegration(1, "2"),
    },
    want: true,
  },
  {
    name: "a changed status",
    change: { type: "updated" as const, old: anIntegration(1, "1"), object: anIntegration(1, "2") },
    want: false,
  },
])("by $name: $want", ({ change, want }) => {
  expect(rule.when?.(change)).toBe(want);
});

it.each<{ name: string; make: (deps: never) => Controller }>([
  { name: "conversations", make: conversationController },
  { name: "messages of channels", make: channelController },
  { name: "presses of buttons", make: pullRequestButtonController },
  { name: "Home tabs", make: homeController },
  { name: "pull requests", make: pullRequestEventController },
  { name: "Automations", make: automationEventController },
])("the controller of $name looks for them when an Integration comes into its cache", async ({ make }) => {
  const asked: string[] = [];
  const come: ((change: object) => void)[] = [];
  const cache = (onChange: (handler: (change: object) => void) => void): object => ({
    resource: {},
    onChange,
    synced: () => Promise.resolve(),
    byIndex(name: string) {
      asked.push(name);
      return [];
    },
  });
  const informers = new Proxy(
    { integrations: cache((handler) => void come.push(handler)) },
    { get: (known, name) => (Reflect.get(known, name) as object | undefined) ?? cache(() => undefined) },
  );
  const client = { withHooks: () => client };
  const controller = make({ informers, client, clock: new FakeClock(), random: systemRandom } as never);
  await controller.start();
  for (const handler of come) handler({ type: "added", object: anIntegration(1, "1") });
  await controller.stop();
  expect(asked).toContain(indexNames.waiting);
});
