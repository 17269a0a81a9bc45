import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import type { GitHubDelivery } from "../../support/github-model.ts";
import { until } from "../../support/kube.ts";
import { comment, makeGitHubIntegration, openIssue, sendGitHub, subjectOf } from "./github-world.ts";
import { World } from "./world.ts";

const hourMs = 3_600_000;
let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world);
});
afterAll(() => world.close());
afterEach(async () => {
  world.ingressProxy.decide(undefined);
  world.github.fault = undefined;
  world.github.deliveries.splice(0);
  await Promise.all(world.connectors.splice(0).map((connector) => connector.close()));
});

let ids = 149_878_712_345_600_000n;

/** A try of GitHub's, which it lists. */
function tried(guid: string, status: number, { agoMs = 0, installation = world.github.installation.id } = {}): void {
  ids += 1n;
  world.github.deliveries.push({
    id: String(ids),
    guid,
    delivered_at: new Date(Date.now() - agoMs).toISOString(),
    status_code: status,
    event: "issue_comment",
    installation_id: installation,
  });
}

const listCalls = (): number => world.github.calls.filter((route) => route.startsWith("GET /app/hook/deliv")).length;

/** From now on GitHub sends again what it is asked for; gives the ids of those events. */
function redelivering(send: (delivery: GitHubDelivery) => void = () => undefined): string[] {
  const guids: string[] = [];
  world.github.redeliver = (delivery) => {
    guids.push(delivery.guid);
    send(delivery);
  };
  return guids;
}

it("an event that came while the ingress could not store it is sent again, and is worked on once", async () => {
  const number = openIssue(world);
  const { event, type } = comment(world, number, "@helper fix it");
  const deliveryId = randomUUID();
  world.ingressProxy.decide(({ path, isWrite }) =>
    isWrite && path.includes("integrationevents") ? { kind: "refuse" } : undefined,
  );
  const first = await sendGitHub(world, integration, event, { type, deliveryId });
  expect(first.status).toBe(503);
  world.ingressProxy.decide(undefined);
  tried(deliveryId, first.status);
  const guids = redelivering(({ guid }) => void sendGitHub(world, integration, event, { type, deliveryId: guid }));
  await world.startConnector();
  await world.settledEvent(integration, deliveryId);
  expect((await world.work(subjectOf(number))).prompts).toHaveLength(1);
  expect(guids).toEqual([deliveryId]);
});

it("looks through all pages of 3 days, and at no others", async () => {
  tried("too-old", 503, { agoMs: 73 * hourMs });
  tried("old", 503, { agoMs: 71 * hourMs });
  for (let count = 0; count < 230; count += 1) tried(`taken-${count}`, 200);
  tried("new", 503);
  tried("other", 503, { installation: 5 });
  const guids = redelivering();
  await world.startConnector();
  await until("it has asked for both", () => guids.length >= 2);
  await until("it has looked at all", () => listCalls() > 0);
  expect(guids).toEqual(["new", "old"]);
});

it("what GitHub has no more of does not keep the next from being sent, nor the Integration from being connected", async () => {
  tried("second", 503);
  tried("first", 503);
  world.github.fault = (route) =>
    route === `POST /app/hook/deliveries/${world.github.deliveries[1]?.id ?? ""}/attempts` ? "refuse" : undefined;
  const guids = redelivering();
  await world.startConnector();
  await until("it has asked for the other", () => guids.includes("second"));
  expect(guids).toEqual(["second"]);
  const found = await world.client.get(Integration, {
    namespace: world.namespace,
    name: integration.metadata.name ?? "",
  });
  expect(found.status?.connection?.reason).toBe("Connected");
});
