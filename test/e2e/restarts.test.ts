import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { SandboxClass } from "../../src/api/v1alpha1/index.ts";
import { useBranch } from "./support/branch.ts";
import type { StartedRun } from "./support/follow.ts";
import { samplePayload } from "./support/payload.ts";
import { killPods, processes, untilRecovered } from "./support/processes.ts";
import { succeeded, type RunView } from "./support/stages.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { WaitingSandboxes, waitingBefore, waitingSetup } from "./support/waiting-sandboxes.ts";
import { apply } from "./support/workbench.ts";

// One Run at each moment of its start. All processes are killed at once; then each Run is let go on.

const retryMs = 500;
const sendLimitMs = 60_000;

let stage: Stage;
let tenant: Tenant;
let sandboxes: WaitingSandboxes;
const begun: { moment: string; run: StartedRun; incident: string }[] = [];

beforeAll(async () => {
  stage = await openStage("restarts");
  tenant = await makeTenant(stage, { command: waitingBefore("exec node .runwright/agent.mjs") });
  sandboxes = new WaitingSandboxes(stage, tenant);
  await useBranch(stage, tenant, { ".runwright/setup.sh": waitingSetup });

  const atPrompt = await begin("the prompt began", ({ pod }) => pod !== undefined);
  await sandboxes.letGoOnceBegun(`${atPrompt.name}-0`, "setup");
  await tenant.watcher.until(
    atPrompt.name,
    ({ session }) => session?.status?.currentPrompt !== undefined,
    "the prompt",
  );
  await begin("the runtime connected", ({ lease }) => lease !== undefined);
  // No pod of the class starts from here on before there is a ConfigMap.
  const volumes = [{ name: "late", mountPath: "/late", access: "ReadOnly", configMap: { name: "late" } }];
  await stage.bench.client.patch(SandboxClass, { name: tenant.namespace }, { spec: { volumes } });
  await begin("the pod was created", ({ pod }) => pod !== undefined);
  await begin("the Run was created", ({ run }) => run !== undefined);

  await Promise.all(processes.map((process) => killPods(stage, process)));
  const metadata = { name: "late", namespace: tenant.namespace };
  await apply(stage.bench, [{ apiVersion: "v1", kind: "ConfigMap", metadata }]);
  await untilRecovered(stage);
  await Promise.all(
    begun.map(async ({ moment, run }) => {
      if (moment !== "the prompt began") await sandboxes.letGoOnceBegun(`${run.name}-0`, "setup");
      await sandboxes.letGoOnceBegun(`${run.name}-0`, "prompt");
    }),
  );
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

/** Sends a delivery and waits until its Run is at that moment. */
async function begin(moment: string, isSo: (view: RunView) => boolean): Promise<StartedRun> {
  const { body, incident } = await samplePayload({ keyed: true });
  const run = await tenant.start(`delivery: ${moment}`, body);
  begun.push({ moment, run, incident });
  await tenant.watcher.until(run.name, isSo, moment);
  return run;
}

it.each(["the prompt began", "the runtime connected", "the pod was created", "the Run was created"])(
  "finishes a Run when everything is killed once %s",
  async (moment) => {
    const { run, incident } = begun.find((one) => one.moment === moment)!;
    const { run: ended } = await tenant.watcher.follow(run);
    expect(succeeded(ended)).toMatchObject({ status: "True", reason: "Completed" });
    expect(ended.status?.result?.branch).toBe(`runwright/fix-${incident}`);
  },
);

it("starts one Run for a keyed delivery whose sender retries while the ingress is killed", async () => {
  const before = tenant.watcher.runNames();
  const { body } = await samplePayload({ keyed: true });
  await killPods(stage, "ingress");
  const deadline = performance.now() + sendLimitMs;
  let accepted = 0;
  while (accepted < 3 && performance.now() < deadline) {
    const answer = await tenant.send("retry", { body }).catch(() => undefined);
    if (answer?.status === 200) accepted += 1;
    else await delay(retryMs);
  }
  expect(accepted).toBe(3);
  await tenant.watcher.newRun(before);
  const after = [...(await tenant.runNames())].filter((name) => !before.has(name));
  expect(after).toHaveLength(1);
  await untilRecovered(stage);
});
