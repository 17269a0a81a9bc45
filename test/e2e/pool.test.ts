import { afterAll, beforeAll, expect, it } from "vitest";

import { labels, Session } from "../../src/api/v1alpha1/index.ts";
import { pods } from "../../src/kube/core-resources.ts";
import { until } from "../support/kube.ts";
import { samplePayload } from "./support/payload.ts";
import { makePool, poolName, untilPoolIsFull } from "./support/pool.ts";
import { succeeded } from "./support/stages.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { kubectl } from "./support/workbench.ts";

let stage: Stage;
let tenant: Tenant;
beforeAll(async () => {
  stage = await openStage("pool");
  tenant = await makeTenant(stage);
});
afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });

it("gives a delivery's session the sandbox that waits, which pushes a branch, and another waits in its place", async () => {
  const { client } = stage.bench;
  const { namespace } = tenant;
  await makePool(stage.bench, { namespace, className: namespace, replicas: 1 });
  const [warm] = await untilPoolIsFull(stage.bench, namespace);

  const started = await tenant.start("delivery", (await samplePayload({ keyed: true })).body);
  const { run, stagesMs } = await tenant.watcher.follow(started);
  stage.narrator.say(`from a sandbox that waited: ${JSON.stringify(stagesMs)}`);
  expect(succeeded(run)).toMatchObject({ status: "True" });
  expect(run.status?.result?.commit).toMatch(/^[0-9a-f]{40}$/);
  const session = await client.get(Session, keyOf(run.status?.sessions?.[0]?.name ?? ""));
  expect(session.status?.sandbox).toMatchObject({ attempt: 1, pool: poolName, podUID: warm });

  expect(await untilPoolIsFull(stage.bench, namespace)).not.toContain(warm);
  await kubectl(stage.bench, ["-n", tenant.namespace, "scale", `sandboxpool/${poolName}`, "--replicas=0"]);
  await untilNoneWaits();
});

it("deleting a pool deletes its sandboxes", async () => {
  await makePool(stage.bench, { namespace: tenant.namespace, className: tenant.namespace, replicas: 1 });
  await untilPoolIsFull(stage.bench, tenant.namespace);
  await kubectl(stage.bench, ["-n", tenant.namespace, "delete", `sandboxpool/${poolName}`]);
  await untilNoneWaits();
});

async function untilNoneWaits(): Promise<void> {
  const waiting = { namespace: tenant.namespace, labelSelector: labels.ownerKind };
  const isNone = async (): Promise<boolean> => (await stage.bench.client.list(pods, waiting)).items.length === 0;
  await until("none waits", isNone);
}
