import { expect, it } from "vitest";

import { aSecret, anAutomation } from "../../test/support/builders.ts";
import { labels } from "../api/v1alpha1/index.ts";
import { hashApiKey } from "../domain/keys.ts";
import type { KubeClient } from "../kube/client.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import type { Resource } from "../lib/resource.ts";
import { acceptDelivery } from "./accept-delivery.ts";
import { ClusterAutomationReader } from "./cluster/automation-reader.ts";
import { RateLimits } from "./rate-limits.ts";

const metadata = { namespace: "demo", name: "fix", uid: "u1", generation: 1 };
const webhook = { filters: [{ path: "$.a", operator: "matches", value: 1 }] };
/** As another version may have stored it. */
const unreadable = anAutomation({ metadata, spec: { trigger: { type: "Webhook", webhook } as never } });
const secret = { ...aSecret({ sha256: hashApiKey("right") }), metadata: { labels: { [labels.automationUid]: "u1" } } };

/** The outcome of a delivery to an Automation that cannot be read. */
async function deliver(key: string, stored = unreadable) {
  const clock = new FakeClock();
  const find = ({ kind }: Resource<never>): Promise<unknown> => Promise.resolve(kind === "Secret" ? secret : stored);
  const client = { find } as unknown as KubeClient;
  const automations = new ClusterAutomationReader({
    client,
    clock,
    random: { fraction: () => 0 },
    keysNamespace: "keys",
  });
  const runs = { create: () => Promise.reject(new Error("a Run is created")) };
  const request = { deliveryId: "d", automationId: metadata, receivedAt: clock.now(), deadlineMs: 2_600 };
  const body = Buffer.from("{}");
  return acceptDelivery(
    { automations, runs, requests: new RateLimits(clock) },
    { ...request, headers: { authorization: `Bearer ${key}` }, body },
  );
}

it("looks at the key before it says that an automation cannot be read", async () => {
  await expect(deliver("wrong")).rejects.toMatchObject({ code: "WrongKey" });
});

it("notes for the automation that it cannot be read", async () => {
  expect(await deliver("right")).toMatchObject({
    automation: { namespace: "demo", name: "fix", uid: "u1" },
    outcome: { code: "Unavailable", why: "invalid-automation", retryAfterSeconds: 60 },
  });
});

it("takes no request where it cannot read how a sender proves whose it is", async () => {
  const spec = { trigger: { type: "Webhook", webhook: { authentication: { type: "Mutual" } } } as never };
  await expect(deliver("right", anAutomation({ metadata, spec }))).rejects.toMatchObject({ why: "invalid-automation" });
});
