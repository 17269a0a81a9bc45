import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Automation, keySecretName, Run, Session } from "../../src/api/v1alpha1/index.ts";
import { pods, secrets } from "../../src/kube/core-resources.ts";
import { waitForDeployments } from "./support/deployments.ts";
import { release } from "./support/install.ts";
import { samplePayload } from "./support/payload.ts";
import { kubectl } from "./support/workbench.ts";
import { until } from "../support/kube.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

const privateNamespace = `${release.namespace}-${release.name}`;
const limitMs = 240_000;

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("deletion");
  tenant = await makeTenant(stage, { command: ["sleep", "600"] });
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

/** Asks until there are none, and gives the names that are left when time is up. */
async function leftOf(list: () => Promise<{ metadata: { name?: string | undefined } }[]>): Promise<string[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const left = (await list()).map(({ metadata }) => metadata.name ?? "");
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(250);
  }
}

/** Sends a delivery and waits until its agent works. */
async function work(at: Tenant): Promise<void> {
  const { name } = await at.start("a delivery", (await samplePayload({ keyed: true })).body);
  await at.watcher.until(name, ({ session }) => session?.status?.currentPrompt !== undefined, "the prompt");
}

/** Sets how many controllers run; resolves when so many do. */
async function scaleController(replicas: number): Promise<void> {
  const name = `${release.name}-controller`;
  const selector = `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=controller`;
  await kubectl(stage.bench, ["-n", release.namespace, "scale", `deployment/${name}`, `--replicas=${replicas}`]);
  if (replicas > 0) {
    await waitForDeployments(stage.bench, { namespace: release.namespace, names: [name] }, stage.narrator);
  } else {
    const gone = ["wait", "--for=delete", "pod", "-l", selector, "--timeout=240s"];
    await kubectl(stage.bench, ["-n", release.namespace, ...gone]);
  }
}

it("leaves nothing of a deleted Automation whose Run is under way", async () => {
  const { client } = stage.bench;
  const { namespace } = tenant;
  await work(tenant);
  const key = { namespace, name: tenant.automationName };
  const uid = (await client.get(Automation, key)).metadata.uid ?? "";
  const hash = { namespace: `${privateNamespace}-keys`, name: keySecretName(uid) };
  expect(await client.find(secrets, hash)).toBeDefined();

  await client.delete(Automation, key, { propagationPolicy: "Foreground" });
  // What the ingress has read may be a second old.
  const { body } = await samplePayload();
  await until("the URL answers 404", async () => (await tenant.send("after the deletion", { body })).status === 404);

  const items = <T>({ items: all }: { items: T[] }): T[] => all;
  expect(await leftOf(async () => items(await client.list(pods, { namespace })))).toEqual([]);
  expect(await leftOf(async () => items(await client.list(Session, { namespace })))).toEqual([]);
  expect(await leftOf(async () => items(await client.list(Run, { namespace })))).toEqual([]);
  // The key hash and the bundle in the private namespaces go with the collector, which leaves alone what is younger than
  // 5 minutes; test/apiserver/orphans shows that.
});

it("deletes a namespace with all that works in it while no controller runs", async () => {
  const { client } = stage.bench;
  const other = await makeTenant(stage, { command: ["sleep", "600"] });
  const { namespace } = other;
  await work(other);
  await scaleController(0);
  try {
    const { metadata } = await client.get(Automation, { namespace, name: other.automationName });
    await client.delete(Automation, { namespace, name: metadata.name ?? "" }, { propagationPolicy: "Foreground" });
    await kubectl(stage.bench, ["delete", "namespace", namespace, "--timeout=240s"]);
  } finally {
    await scaleController(2);
    await other.close();
  }
});
