import { expect, it } from "vitest";

import type { Integration, IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { keyText, type ObjectKey } from "../../../lib/resource.ts";
import { HomeReconciler, type HomeReconcilerDeps } from "./reconciler.ts";

const key = { namespace: "shop", name: "opened" };
const event = {
  metadata: { ...key, uid: "e", resourceVersion: "1" },
  spec: {
    integrationRef: { name: "chat", uid: "i" },
    receivedTime: "2026-05-04T10:15:00Z",
    slack: { action: "HomeOpened", actor: { id: "U0ANN" } },
  },
} as IntegrationEvent;
const integration = {
  metadata: { namespace: "shop", name: "chat", uid: "i", generation: 1 },
  spec: {
    type: "Slack",
    serviceAccountName: "agents",
    signingSecretRef: { name: "chat-app" },
    credentialsSecretRef: { name: "chat-app" },
    access: { users: ["U0ANN"] },
    slack: { teamID: "T0TEAM", repositories: [{ name: "api" }] },
  },
} as unknown as Integration;

/** Opens a Home tab while the cache has these Integrations; gives what was done, in order. */
function aHome() {
  const integrations = new Map<string, Integration>();
  const did: string[] = [];
  const none = { get: () => undefined, list: () => [] };
  const deps = {
    clock: new FakeClock(),
    client: { delete: (_resource: unknown, { name }: ObjectKey) => Promise.resolve(void did.push(`delete ${name}`)) },
    slack: { call: (_integration: unknown, call: string) => Promise.resolve(void did.push(call)) },
    informers: {
      integrations: { get: (one: ObjectKey) => integrations.get(keyText(one)) },
      events: { get: () => event },
      ...{ conversations: none, sessions: none, prompts: none, repositories: none, environments: none },
    },
  } as unknown as HomeReconcilerDeps;
  const reconciler = new HomeReconciler(deps);
  const look = () => reconciler.reconcile(key, new AbortController().signal);
  return { integrations, did, look };
}

it("a tab waits for an Integration that the cache does not have yet, and is shown then", async () => {
  const { integrations, did, look } = aHome();
  expect(await look()).toEqual({ kind: "done" });
  expect(did).toEqual([]);
  integrations.set("shop/chat", integration);
  await look();
  expect(did).toEqual(["views.publish", "delete opened"]);
});

it("a tab waits while the cache has an Integration of the name that is gone", async () => {
  const { integrations, did, look } = aHome();
  integrations.set("shop/chat", { ...integration, metadata: { ...integration.metadata, uid: "before" } });
  await look();
  expect(did).toEqual([]);
});
