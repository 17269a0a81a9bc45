import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, type Run } from "../../../src/api/v1alpha1/index.ts";
import { keyedRunName } from "../../../src/domain/object-names.ts";
import { causeOf } from "../../../src/domain/runs/run-state.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

const payload = '{"idempotencyKey":"k","status":"failed"}';
let world: World;
let automation: Automation;
let name: string;

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  automation = await world.createAutomation("triage");
  name = keyedRunName({ name: "triage", uid: automation.metadata.uid! }, "k");
});
afterEach(() => world.close());

/** The Run of the key, as the ingress stores it; 409 while the key has one. */
function deliver(): Promise<Run> {
  const time = world.clock.now().toISOString();
  const { uid = "" } = automation.metadata;
  const metadata = { name, labels: { "runwright.dev/automation-uid": uid } };
  return world.createRun(automation, { type: "Webhook", time, payload, idempotencyKey: "k" }, metadata);
}

function suspend(isSuspended: boolean): Promise<Automation> {
  const key = { namespace: world.namespace, name: "triage" };
  return world.client.patch(Automation, key, { spec: { suspend: isSuspended } });
}

/** The only Run there is, once it says why it was skipped and the key is free. */
async function untilFreed(): Promise<Run> {
  await world.until("the key is free and the copy judged", async () => {
    const runs = await world.runs();
    return runs.length === 1 && runs[0]?.metadata.name !== name && conditionOf(runs[0])?.reason === "Skipped";
  });
  return (await world.runs())[0]!;
}

async function untilDead(operator: Operator): Promise<void> {
  await world.until("the operator is dead", () => operator.work.reconciles.some((line) => line.endsWith("stopped")));
  await operator.stop();
}

it("an event that came too late keeps payload and verdict, and its sender's next try starts", async () => {
  await deliver();
  world.clock.advance(6_000_000);
  const operator = await world.startOperator();
  const copy = await untilFreed();
  expect(causeOf(copy)).toBe("StartDeadlineExceeded");
  expect(copy.spec.trigger).toMatchObject({ payload });
  expect(copy.spec.trigger.idempotencyKey).toBeUndefined();
  await world.rest(operator);
  const ofRuns = operator.writes.filter((write) => write.includes("Run"));
  expect(ofRuns).toEqual(["patch Run/status", "create Run", "delete Run", "patch Run/status"]);
  await deliver();
  await world.untilRun(name, "Running");
  expect(await world.runs()).toHaveLength(2);
});

describe("the controller dies, and the pause ends before the next one comes", () => {
  it.each([
    { at: "before the verdict", trouble: { diesBefore: "patch Run" }, runs: [undefined], starts: true },
    { at: "before the copy", trouble: { diesBefore: "create Run" }, runs: ["Skipped"], starts: false },
    {
      at: "before the key is free",
      trouble: { diesBefore: "delete Run" },
      runs: ["Skipped", undefined],
      starts: false,
    },
  ])("$at", async ({ trouble, runs, starts }) => {
    await suspend(true);
    await deliver();
    await untilDead(await world.startOperator(trouble));
    expect((await world.runs()).map((run) => conditionOf(run)?.reason).sort()).toEqual(runs);
    await suspend(false);
    await world.startOperator();
    if (starts) {
      await world.untilRun(name, "Running");
      expect(await world.runs()).toHaveLength(1);
      return;
    }
    expect(causeOf(await untilFreed())).toBe("AutomationPaused");
    await deliver();
    await world.untilRun(name, "Running");
    expect(await world.runs()).toHaveLength(2);
  });
});

it.each([1, 2, 3, 4, 5, 6])(
  "the answer to write %i is lost with the controller: one copy, and a free key",
  async (diesAfter) => {
    await suspend(true);
    await deliver();
    const dying = await world.startOperator({ diesAfter });
    await world.until("it is dead or done", async () => {
      const isDead = dying.work.reconciles.some((line) => line.endsWith("stopped"));
      const [run, ...others] = await world.runs();
      return isDead || (others.length === 0 && run?.metadata.name !== name && conditionOf(run)?.reason === "Skipped");
    });
    await dying.stop();
    await world.startOperator();
    expect(causeOf(await untilFreed())).toBe("AutomationPaused");
  },
);
