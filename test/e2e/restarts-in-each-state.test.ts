import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Prompt, type Run, SandboxClass, Session } from "../../src/api/v1alpha1/index.ts";
import { isSettled } from "../../src/domain/prompts/prompt-state.ts";
import type { Pod } from "../../src/kube/core-resources.ts";
import type { StartedRun } from "./support/follow.ts";
import { samplePayload } from "./support/payload.ts";
import { succeeded } from "./support/stages.ts";
import { accountName } from "./support/tenant-objects.ts";
import { apply } from "./support/workbench.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { killPods, untilRecovered } from "./support/processes.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { WaitingSandboxes, waitingAgent, waitingSetup } from "./support/waiting-sandboxes.ts";

// One session in each state that a sandbox can be in. All of them live through a kill of controller and gateway, then
// through one of the kubelet; then each is let go on.

let stage: Stage;
let tenant: Tenant;
let sandboxes: WaitingSandboxes;
/** Its sandbox boots. */
let run: StartedRun;
let ended: Run;

beforeAll(async () => {
  stage = await openStage("states");
  tenant = await makeTenant(stage, { command: waitingAgent });
  sandboxes = new WaitingSandboxes(stage, tenant);
  await useBranch(stage, tenant, { ".runwright/setup.sh": waitingSetup });
  run = await tenant.start("a delivery", (await samplePayload({ keyed: true })).body);
  await Promise.all(["idle", "working", "stopped-before", "stopped-meanwhile"].map(makeSession));
  await ask("working");
  await until("the sandbox boots", () => sandboxes.hasBegun(`${run.name}-0`, "setup"));
  await until("the agent works", () => sandboxes.hasBegun("working", "prompt"));
  for (const name of ["idle", "stopped-before", "stopped-meanwhile"]) {
    await until(`${name} is ready`, async () => (await read(name)).status?.sandbox?.readyTime !== undefined);
  }
  // No pod of the class starts from here on before there is a ConfigMap.
  const volumes = [{ name: "late", mountPath: "/late", access: "ReadOnly", configMap: { name: "late" } }];
  await stage.bench.client.patch(SandboxClass, { name: tenant.namespace }, { spec: { volumes } });
  await makeSession("creating");
  await ask("creating");
  await until("a pod is being created", async () => isBeingCreated(await sandboxes.podOf("creating")));

  await stop("stopped-before");
  await Promise.all([killPods(stage, "controller"), killPods(stage, "gateway")]);
  await untilRecovered(stage);

  const { local } = stage.bench;
  await local?.kill("kubelet");
  try {
    await stop("stopped-meanwhile");
    await makeSession("unseen");
    await ask("unseen");
    await until(
      "a pod waits for its node",
      async () => (await sandboxes.podOf("unseen"))?.spec?.nodeName !== undefined,
    );
    const metadata = { name: "late", namespace: tenant.namespace };
    await apply(stage.bench, [{ apiVersion: "v1", kind: "ConfigMap", metadata }]);
  } finally {
    await local?.start("kubelet");
  }
  await until("the node is back", () => sandboxes.letGo(`${run.name}-0`));
  await ask("idle");
  for (const name of ["idle", "working", "creating", "unseen"]) {
    await until(`${name} is at work`, () => sandboxes.hasBegun(name, "prompt"));
    await sandboxes.letGo(name);
  }
  await until("the Run's agent works", () => sandboxes.hasBegun(`${run.name}-0`, "prompt"));
  await sandboxes.letGo(`${run.name}-0`);
  ({ run: ended } = await tenant.watcher.follow(run));
  await untilRecovered(stage);
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });
const read = (session: string): Promise<Session> => stage.bench.client.get(Session, keyOf(session));

async function makeSession(name: string): Promise<void> {
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
  const spec = { ...use, target: {}, idleTimeoutSeconds: 600 };
  await stage.bench.client.create(Session, { metadata: keyOf(name), spec });
}

async function ask(session: string): Promise<void> {
  const spec = { sessionRef: { name: session }, text: "Work." };
  await stage.bench.client.create(Prompt, { metadata: keyOf(`${session}-asked`), spec });
}

/** Has nothing to do any more; resolves when its pod gets SIGTERM. */
async function stop(session: string): Promise<void> {
  await stage.bench.client.patch(Session, keyOf(session), { spec: { idleTimeoutSeconds: 1 } });
  await until(`${session} is being stopped`, async () => {
    const pod = await sandboxes.podOf(session);
    return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
  });
}

function isBeingCreated(pod: Pod | undefined): boolean {
  const states = pod?.status?.containerStatuses ?? [];
  return states.length > 0 && states.every(({ state }) => state?.waiting?.reason === "ContainerCreating");
}

async function outcomeOf(session: string): Promise<Prompt> {
  const key = keyOf(`${session}-asked`);
  await until(`the prompt of ${session} has ended`, async () => isSettled(await stage.bench.client.get(Prompt, key)));
  return stage.bench.client.get(Prompt, key);
}

it("a Run whose sandbox booted goes on where it was", async () => {
  expect(succeeded(ended)).toMatchObject({ status: "True", reason: "Completed" });
  expect(ended.status?.result?.summary).toBe("setup prompt");
  expect((await read(`${run.name}-0`)).status?.sandbox?.attempt).toBe(1);
});

it.each([
  ["was being created", "creating"],
  ["no kubelet had seen", "unseen"],
  ["was idle", "idle"],
  ["processed a prompt", "working"],
])("a session whose sandbox %s answers its prompt once, with its first sandbox", async (_state, session) => {
  const prompt = await outcomeOf(session);
  expect(succeeded(prompt)).toMatchObject({ status: "True", reason: "Completed" });
  expect(prompt.status?.result?.summary).toBe("prompt");
  await until("the session has seen it", async () => (await read(session)).status?.promptsEnded === 1);
  const { sandbox } = (await read(session)).status ?? {};
  expect([sandbox?.attempt, sandbox?.endTime]).toEqual([1, undefined]);
});

describe("a sandbox that was being stopped", () => {
  it.each(["stopped-before", "stopped-meanwhile"])("%s is stopped", async (session) => {
    await until("its pod is gone", async () => (await sandboxes.podOf(session)) === undefined);
    expect((await read(session)).status?.sandbox).toMatchObject({ attempt: 1, endReason: "Stopped" });
  });
});
