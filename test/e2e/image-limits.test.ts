import { afterAll, beforeAll, expect, it } from "vitest";

import { apiVersion, PrebuiltImage } from "../../src/api/v1alpha1/index.ts";
import { type Pod, pods } from "../../src/kube/core-resources.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { accountName, repositoryName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { apply, kubectl } from "./support/workbench.ts";

// What a kubelet and a namespace controller have to do with builds that go wrong or are left behind.

let stage: Stage;
beforeAll(async () => {
  stage = await openStage("image-limits");
});
afterAll(() => stage.close());

/** A tenant whose Repository has this setup.sh, with an image of it. */
async function tenantOf(setup: string): Promise<Tenant> {
  const tenant = await makeTenant(stage, { command: ["true"], limits: { cpu: "500m", memory: "192Mi" } });
  await useBranch(stage, tenant, { ".runwright/setup.sh": setup });
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
  const spec = { repositoryRef: { name: repositoryName }, ...use };
  await apply(stage.bench, [{ apiVersion, kind: "PrebuiltImage", metadata: keyOf(tenant), spec }]);
  return tenant;
}

const keyOf = ({ namespace }: Tenant): { namespace: string; name: string } => ({ namespace, name: repositoryName });

async function podsOf({ namespace }: Tenant): Promise<Pod[]> {
  return (await stage.bench.client.list(pods, { namespace })).items;
}

it("a setup.sh that forks without end is ended by the class's memory limit, and the condition says what to change", async () => {
  const tenant = await tenantOf("while true; do sleep 1000 & done");
  const { client } = stage.bench;
  const read = (): Promise<PrebuiltImage> => client.get(PrebuiltImage, keyOf(tenant));
  await until("the build has failed", async () => (await read()).status?.failures !== undefined);
  const condition = (await read()).status?.conditions?.find(({ type }) => type === "BuildFailed");
  expect(["OutOfMemory", "SetupFailed"]).toContain(condition?.reason);
  expect(condition?.message).toContain("ran out of memory");
  expect(condition?.message).toMatch(/memory limit|setup\.sh/);
  await until("its pod is gone", async () => (await podsOf(tenant)).length === 0);
  await tenant.close();
});

it("a namespace with a build under way is deleted, and its pod with it", async () => {
  const tenant = await tenantOf("sleep 600");
  const isBuilding = async (): Promise<boolean> =>
    (await podsOf(tenant)).some(({ status }) => status?.phase === "Running");
  await until("it is being built", isBuilding);
  await kubectl(stage.bench, ["delete", "namespace", tenant.namespace, "--timeout=240s"]);
  expect(await podsOf(tenant)).toEqual([]);
  await tenant.close();
  // Secrets, Leases and blobs go with collectors that leave alone what is younger than 5 minutes; test/apiserver/image shows that.
});
