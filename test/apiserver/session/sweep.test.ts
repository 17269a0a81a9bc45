import { afterEach, beforeEach, expect, it } from "vitest";
import { Automation, Run } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { startRunControllers } from "./run-controllers.ts";
import { conditionOf, type Operator, World } from "./world.ts";

const minutes = 60_000;

let world: World;
let runs: Awaited<ReturnType<typeof startRunControllers>>;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  runs = await startRunControllers(world);
});
afterEach(async () => {
  await runs.stop();
  await world.close();
});

function run(): Promise<Run> {
  return world.client.get(Run, { namespace: world.namespace, name: "late" });
}

/** A Run that was started, with an execution budget of a minute. */
async function startRun(): Promise<Run> {
  const { client, namespace, clock, time } = world;
  const spec = {
    instructions: "Fix it.",
    trigger: { type: "Manual" },
    serviceAccountName: "runner",
    session: { sandboxClassName: namespace, settings: { sandboxTimeoutMs: minutes } },
  };
  // The API server fills in the rest.
  await client.create(Automation, { metadata: { name: "fix", namespace }, spec } as Automation);
  await client.create(Run, {
    metadata: { name: "late", namespace },
    spec: { automationRef: { name: "fix" }, trigger: { type: "Manual", time: clock.now().toISOString() } },
  });
  const findStarted = async (): Promise<Run | undefined> => {
    const found = await run();
    return found.status?.nextDeadline === undefined ? undefined : found;
  };
  return time.find("the Run is started", findStarted, { stepMs: 100 });
}

/** How far the Run's sandbox has come when its time is up. */
const stages: [string, (operator: Operator) => Promise<void>][] = [
  ["was not scheduled", (operator) => world.rest(operator, 0)],
  [
    "was not scheduled for 20 seconds",
    async () => {
      world.clock.advance(20_000);
      await world.untilSession("late-0", "recorded", ({ sandbox }) => sandbox !== undefined, 0);
    },
  ],
  [
    "is booting",
    async () => {
      const pod = await world.untilPod(1);
      await world.reportRunning(pod.metadata.name!);
      await world.untilSession("late-0", "recorded", ({ sandbox }) => sandbox?.containerStartTime !== undefined, 0);
    },
  ],
  [
    "works",
    async () => {
      await world.bringUp(await world.session("late-0"));
      await world.untilSession("late-0", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined, 0);
    },
  ],
];

it.each(stages)("at the sweep of its Run a sandbox that %s is stopped, and none follows", async (_what, reach) => {
  const { status } = await startRun();
  const deadlineMs = Date.parse(status!.nextDeadline!.time);
  // The session had to wait, as for a place in its class, or the boot budget would be over by then.
  world.clock.advance(deadlineMs - 0.5 * minutes - world.clock.now().getTime());
  const operator = await world.startOperator();
  await world.untilPod(1);
  await reach(operator);
  expect(await world.pods()).toHaveLength(1);

  world.clock.advance(deadlineMs - world.clock.now().getTime());
  // Time stands still: it is the sweep that stops the sandbox, and no clock of the sandbox's own.
  await world.until(
    "the Run was swept",
    async () => conditionOf(await run(), "Succeeded")?.reason === "ExecutionTimeout",
    0,
  );
  await world.until("the sandbox is gone", async () => (await world.pods()).length === 0, 0);
  expect(await world.bundles()).toEqual([]);
  expect(conditionOf(await world.prompt("late-0-1"), "Succeeded")).toMatchObject({
    status: "False",
    reason: "ExecutionTimeout",
  });
  await world.rest(operator, minutes);
  expect(await world.pods()).toEqual([]);
  expect(operator.writes.filter((write) => write === "create Pod")).toHaveLength(1);
});
