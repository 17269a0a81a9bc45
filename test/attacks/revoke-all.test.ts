import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";

import { pods } from "../../src/kube/core-resources.ts";
import { Attacker } from "../e2e/support/attacker.ts";
import { waitForDeployments } from "../e2e/support/deployments.ts";
import { release } from "../e2e/support/install.ts";
import { makePerson, openPeoplePort, tokenOf } from "../e2e/support/people.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "../e2e/support/tenant.ts";
import { kubectl } from "../e2e/support/workbench.ts";
import { deployments } from "../support/core-resources.ts";
import { until } from "../support/kube.ts";

// The commands of docs/operate/security-summary.md that end the work of a tenant, of a gateway and of a cluster, as they stand there.
// They have a file of their own, since the counts of other attempts end with the processes that keep them.

const minuteMs = 60_000;
const sandboxLabel = "app.kubernetes.io/component=sandbox";
const everywhere = ["--all-namespaces", "-l", sandboxLabel];

let stage: Stage;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  stage = await openStage("revoke-all");
  tenant = await makeTenant(stage);
  other = await makeTenant(stage);
});
afterAll(async () => {
  await tenant.close();
  await other.close();
  await stage.close();
});

/** A session of the tenant's with its sandbox at work. */
async function work({ namespace }: Tenant, name: string): Promise<Attacker> {
  const attacker = new Attacker(stage.bench, namespace, name);
  await attacker.create();
  await attacker.sandbox();
  return attacker;
}

async function sandboxesOf(namespace?: string): Promise<number> {
  const { items } = await stage.bench.client.list(pods, {
    ...(namespace !== undefined && { namespace }),
    labelSelector: sandboxLabel,
  });
  return items.length;
}

it("all sandboxes of a tenant end within a minute, and no other's", async () => {
  const { namespace } = tenant;
  await Promise.all([work(tenant, "one"), work(tenant, "two"), work(other, "three")]);
  await kubectl(stage.bench, ["-n", namespace, "delete", "sessions", "--all"]);
  await until("its pods are gone", async () => (await sandboxesOf(namespace)) === 0, minuteMs);
  expect(await sandboxesOf(other.namespace)).toBe(1);
});

it("all sandboxes of a cluster end within a minute", async () => {
  await work(tenant, "four");
  await kubectl(stage.bench, ["delete", "sessions", "--all-namespaces", "--all"]);
  await until("all their pods are gone", async () => (await sandboxesOf()) === 0, minuteMs);
});

it("a stream that is open ends when the gateway is restarted", async () => {
  const { bench, narrator } = stage;
  await work(tenant, "five");
  const editor = await makePerson(bench, tenant.namespace, "edit");
  const authorization = `Bearer ${await tokenOf(bench, tenant.namespace, editor)}`;
  const people = await openPeoplePort(bench);
  const agent = new Agent({ connect: people.tls, bodyTimeout: 0 });
  const url = `https://${people.authority}/sessions/${tenant.namespace}.five/events`;
  const { statusCode, body } = await request(url, { headers: { authorization }, dispatcher: agent });
  expect(statusCode).toBe(200);
  let isOpen = true;
  const ended = body.dump({ limit: Infinity }).then(
    () => (isOpen = false),
    () => (isOpen = false),
  );
  const name = `${release.name}-gateway`;
  await kubectl(bench, ["-n", release.namespace, "rollout", "restart", "deployment", name]);
  await until("the stream ends", () => !isOpen, minuteMs);
  await ended;
  await waitForDeployments(bench, { namespace: release.namespace, names: [name] }, narrator);
  await agent.close();
  people.close();
});

it("nothing works any more once all is scaled to 0 and the sandboxes' pods are deleted", async () => {
  const { bench, narrator } = stage;
  const { namespace } = release;
  const { items } = await bench.client.list(deployments, { namespace });
  const before = items.map(({ metadata, spec }) => ({ name: metadata.name ?? "", replicas: spec?.replicas ?? 1 }));
  expect(await sandboxesOf()).toBe(1);
  try {
    await kubectl(bench, ["-n", namespace, "scale", "deployment", "--all", "--replicas=0"]);
    await kubectl(bench, ["delete", "pods", ...everywhere]);
    const isGone = async (): Promise<boolean> => (await bench.client.list(pods, { namespace })).items.length === 0;
    await until("no process of the release is left", isGone, minuteMs);
    expect(await sandboxesOf()).toBe(0);
  } finally {
    for (const { name, replicas } of before) {
      await kubectl(bench, ["-n", namespace, "scale", "deployment", name, `--replicas=${replicas}`]);
    }
    await waitForDeployments(bench, { namespace, names: before.map(({ name }) => name) }, narrator);
  }
});
