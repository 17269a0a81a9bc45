import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Run, SandboxClass, Session } from "../../src/api/v1alpha1/index.ts";
import { samplePayload } from "./support/payload.ts";
import { succeeded } from "./support/stages.ts";
import { accountName } from "./support/tenant-objects.ts";
import { apply, kubectl } from "./support/workbench.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("refusals");
  tenant = await makeTenant(stage);
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

async function runOf(what: string): Promise<Run> {
  const { body } = await samplePayload({ keyed: true });
  const { run } = await tenant.watcher.follow(await tenant.start(what, body));
  return run;
}

it("fails a Run whose Repository has a wrong password, and does not tell the password", async () => {
  const wrong = "wrong-password-of-the-test";
  const metadata = { name: "checkout-git", namespace: tenant.namespace };
  const secret = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/basic-auth", metadata };
  await apply(stage.bench, [{ ...secret, stringData: { ...stage.git.credential, password: wrong } }]);
  const run = await runOf("with a wrong password");
  expect(succeeded(run)).toMatchObject({ status: "False", reason: "CloneFailed" });
  expect(JSON.stringify(run)).not.toContain(wrong);
  await apply(stage.bench, [{ ...secret, stringData: stage.git.credential }]);
});

describe("a sandbox that cannot start says why while it waits", () => {
  it.each([
    { name: "an image that is not there", spec: { image: "runwright.local/nothing:1" }, reason: "ImagePullFailed" },
    {
      name: "a volume whose ConfigMap is not there",
      spec: { volumes: [{ name: "late", mountPath: "/late", configMap: { name: "late" } }] },
      reason: "ContainerNotStarted",
    },
    { name: "no node that fits", spec: { nodeSelector: { "example.com/none": "here" } }, reason: "Unschedulable" },
  ])("$name", async ({ spec, reason }) => {
    const { client } = stage.bench;
    const { namespace } = tenant;
    await client.patch(SandboxClass, { name: namespace }, { spec });
    const key = { namespace, name: reason.toLowerCase() };
    const use = { sandboxClassName: namespace, serviceAccountName: accountName };
    await client.create(Session, { metadata: key, spec: { ...use, target: {}, idleTimeoutSeconds: 600 } });
    const ready = async (): Promise<unknown> =>
      (await client.get(Session, key)).status?.conditions?.find(({ type }) => type === "Ready");
    await expect.poll(ready, { interval: 250 }).toMatchObject({ status: "False", reason });
    await client.delete(Session, key);
    const without = Object.fromEntries(Object.keys(spec).map((field) => [field, null]));
    await client.patch(SandboxClass, { name: namespace }, { spec: without });
  });
});

it("fails a Run whose account may not use the SandboxClass, and starts no pod", async () => {
  const binding = `clusterrolebinding/runwright-demo:${tenant.namespace}`;
  await kubectl(stage.bench, ["delete", binding]);
  const run = await runOf("without the right to use the class");
  expect(succeeded(run)).toMatchObject({ status: "False", reason: "OwnerNotAllowed" });
  // The pod of the Run before may still be going.
  const ofRun = `runwright.dev/session-name=${run.metadata.name ?? ""}-0`;
  const pods = await kubectl(stage.bench, ["-n", tenant.namespace, "get", "pods", "-l", ofRun, "-o", "name"]);
  expect(pods).toBe("");
});
