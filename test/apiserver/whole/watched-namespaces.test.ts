import { afterAll, beforeAll, expect, it } from "vitest";

import { Automation, Run } from "../../../src/api/v1alpha1/index.ts";
import { makeKeySecret } from "../../../src/gateway/automations/keys.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { newNamespace, until } from "../../support/kube.ts";
import { World } from "./world.ts";

const key = "k".repeat(43);

let world: World;
let elsewhere: string;
let url: string;

beforeAll(async () => {
  world = await World.make({ watchesTenantAlone: true });
  elsewhere = await newNamespace(world.client, "elsewhere");
  const { metadata, spec } = await world.client.get(Automation, { namespace: world.namespace, name: "fix" });
  const other = await world.client.create(Automation, {
    metadata: { name: "fix", namespace: elsewhere },
    spec,
  });
  for (const automation of [{ metadata }, other]) {
    await world.client.create(secrets, makeKeySecret(automation, key, world.release.keysNamespace));
  }
  world.startGateway();
  await world.startController();
  await until("the gateway is ready", () => world.isReady("gateway"));
  url = await world.startIngress();
});

afterAll(() => world.close());

async function deliver(namespace: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/webhooks/automation/${namespace}.fix`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{}",
  });
  return { status: answer.status, body: await answer.json() };
}

it("has a Run done in a watched namespace and touches nothing in another, with the rights that the chart renders", async () => {
  const manual = { automationRef: { name: "fix" }, trigger: { type: "Manual" as const } };
  await world.client.create(Run, { metadata: { name: "by-hand", namespace: elsewhere }, spec: manual });
  expect(await deliver(elsewhere)).toMatchObject({ status: 404 });
  expect(await deliver(world.namespace)).toMatchObject({ status: 200, body: { triggered: 1 } });
  const { items } = await world.client.list(Run, { namespace: world.namespace });
  expect(items).toHaveLength(1);
  const run = await world.cleanedUp(items[0]?.metadata.name ?? "");
  expect(run.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "Succeeded", status: "True", reason: "Completed" }),
  );

  expect((await world.client.list(Run, { namespace: elsewhere })).items).toHaveLength(1);
  const untouched = [
    await world.client.get(Run, { namespace: elsewhere, name: "by-hand" }),
    await world.client.get(Automation, { namespace: elsewhere, name: "fix" }),
  ];
  expect(untouched.map(({ status }) => status?.observedGeneration)).toEqual([-1, -1]);
  const seen = [...world.proxies.controller.seen, ...world.proxies.gateway.seen];
  expect(seen.filter(({ path }) => path.includes(elsewhere))).toEqual([]);
  expect(seen.filter(({ status }) => status === 403)).toEqual([]);
});
