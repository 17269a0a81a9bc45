import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { samplePayload } from "./support/payload.ts";
import { succeeded, type RunView } from "./support/stages.ts";
import { killPods, processes, untilRecovered } from "./support/processes.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

/** Long enough for any process to be killed and replaced while the agent works, in seconds. */
const workSeconds = 10;
const slowAgent = ["bash", "-c", `sleep ${workSeconds}; exec node .runwright/agent.mjs`];
const retryMs = 500;
const sendLimitMs = 60_000;

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("restarts");
  tenant = await makeTenant(stage, { command: slowAgent });
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const moments: { name: string; isSo: (view: RunView) => boolean }[] = [
  { name: "the Run was created", isSo: ({ run }) => run !== undefined },
  { name: "the pod was created", isSo: ({ pod }) => pod !== undefined },
  { name: "the runtime connected", isSo: ({ lease }) => lease !== undefined },
  { name: "the prompt began", isSo: ({ session }) => session?.status?.currentPrompt !== undefined },
];

it.each(moments)("finishes a Run when everything is killed once $name", async ({ name, isSo }) => {
  const { body, incident } = await samplePayload({ keyed: true });
  const started = await tenant.start(`delivery: ${name}`, body);
  await tenant.watcher.until(started.name, isSo, name);
  await Promise.all(processes.map((process) => killPods(stage, process)));
  const { run } = await tenant.watcher.follow(started);
  expect(succeeded(run)).toMatchObject({ status: "True", reason: "Completed" });
  expect(run.status?.result?.branch).toBe(`runwright/fix-${incident}`);
  await untilRecovered(stage);
});

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
