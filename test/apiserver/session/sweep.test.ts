import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  Automation,
  type Condition,
  Run,
  SandboxClass,
  type SandboxClassSpec,
} from "../../../src/api/v1alpha1/index.ts";
import { findCondition } from "../../../src/domain/conditions.ts";
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

/** How far the Run's sandbox has come when its time is up, within a minute of the Run's start. */
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
  const sweptMs = Date.parse(status!.startTime!) + minutes + 100 * minutes;
  const first = await world.startOperator();
  await world.untilPod(1);
  await reach(first);
  expect(await world.pods()).toHaveLength(1);
  // The clocks of the sandbox itself would end it before.
  await first.stop();
  await atRest();
  expect((await run()).status?.nextDeadline).toEqual({ time: instant(sweptMs), reason: "ExecutionTimeout" });

  passUntil(sweptMs - 1);
  await atRest();
  expect(conditionOf(await run(), "Succeeded")?.reason).toBe("Running");
  passUntil(sweptMs);
  await untilRun("ExecutionTimeout");
  expect(conditionOf(await world.prompt("late-0-1"), "Succeeded")).toMatchObject({
    status: "False",
    reason: "ExecutionTimeout",
  });
  const second = await world.startOperator();
  await world.until("the sandbox is gone", async () => (await world.pods()).length === 0, 0);
  expect(await world.bundles()).toEqual([]);
  await world.rest(second, minutes);
  expect(await world.pods()).toEqual([]);
  expect(second.writes).not.toContain("create Pod");
});

describe("a Run whose session waits for a place", () => {
  /** The Run, once it shows that it waits. */
  async function startWaiting(spec: Partial<SandboxClassSpec>): Promise<Run> {
    await changeClass({ maxSandboxes: 0, ...spec });
    await startRun();
    await world.startOperator();
    await world.untilSession("late-0", "queued", ({ conditions }) => reasonOf(conditions) === "Queued", 0);
    await atRest();
    const waiting = await run();
    expect(conditionOf(waiting, "Succeeded")).toMatchObject({ status: "Unknown", reason: "Running" });
    expect(conditionOf(waiting, "Succeeded")?.message).toContain("Session late-0 waits for a place: SandboxClass");
    return waiting;
  }

  it("is not swept, and has its whole budget from its pod on", async () => {
    const waiting = await startWaiting({});
    expect(waiting.status?.nextDeadline).toBeUndefined();
    world.clock.advance(500 * minutes);
    await atRest();
    expect(conditionOf(await run(), "Succeeded")?.reason).toBe("Running");
    await changeClass({ maxSandboxes: 3 });
    const pod = await world.untilPod(1);
    await world.reportRunning(pod.metadata.name!);
    const { status } = await world.untilSession("late-0", "recorded", ({ sandbox }) => sandbox !== undefined, 0);
    await atRest();
    const sweptMs = Date.parse(status!.sandbox!.createTime) + 101 * minutes;
    expect((await run()).status?.nextDeadline).toEqual({ time: instant(sweptMs), reason: "ExecutionTimeout" });
  });

  it("is skipped once it has waited for the maxPendingSeconds of its class, across a restart, and never has a pod", async () => {
    const waiting = await startWaiting({ maxPendingSeconds: 600 });
    const { lastTransitionTime } = conditionOf(await world.session("late-0"), "Ready")!;
    const skippedMs = Date.parse(lastTransitionTime) + 600_000;
    const nextDeadline = { time: instant(skippedMs), reason: "StartDeadlineExceeded" };
    expect(waiting.status?.nextDeadline).toEqual(nextDeadline);
    await runs.stop();
    passUntil(skippedMs - 1);
    runs = await startRunControllers(world);
    await atRest();
    expect((await run()).status?.nextDeadline).toEqual(nextDeadline);
    expect(conditionOf(await run(), "Succeeded")?.reason).toBe("Running");

    passUntil(skippedMs);
    await untilRun("Skipped");
    expect(conditionOf(await run(), "Stalled")?.reason).toBe("StartDeadlineExceeded");
    expect((await run()).status).not.toHaveProperty("startTime");
    const { status } = await world.automation("fix");
    expect([status?.active, status?.consecutiveFailures ?? 0]).toEqual([undefined, 0]);
    await changeClass({ maxSandboxes: 3 });
    await atRest();
    expect(await world.pods()).toEqual([]);
  });

  it("shows a limit that its class gets while it waits", async () => {
    await startWaiting({});
    await changeClass({ maxPendingSeconds: 600 });
    await atRest();
    expect((await run()).status?.nextDeadline).toMatchObject({ reason: "StartDeadlineExceeded" });
  });
});

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function passUntil(ms: number): void {
  world.clock.advance(ms - world.clock.now().getTime());
}

/** Until all controllers have nothing left to do, while time stands still. */
function atRest(): Promise<void> {
  return world.time.rest(runs.work, 0);
}

function untilRun(reason: string): Promise<void> {
  return world.until(reason, async () => conditionOf(await run(), "Succeeded")?.reason === reason, 0);
}

function reasonOf(conditions: readonly Condition[] = []): string | undefined {
  return findCondition(conditions, "Ready")?.reason;
}

async function changeClass(spec: Partial<SandboxClassSpec>): Promise<void> {
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec });
}
