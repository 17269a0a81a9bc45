import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, Prompt, Session, type Run } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import type { Trouble } from "../../support/trouble.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

interface Story {
  name: string;
  trigger: "Webhook" | "Manual";
  succeeds: boolean;
  /** Writes of an undisturbed operator from a new automation to the settled Run. */
  writes: number;
}

const stories: Story[] = [
  { name: "a delivery that completes after a failure", trigger: "Webhook", succeeds: true, writes: 7 },
  { name: "a delivery whose failure is the third", trigger: "Webhook", succeeds: false, writes: 7 },
  { name: "a manual Run that fails", trigger: "Manual", succeeds: false, writes: 8 },
];

/** An automation that two Runs have failed before, so that a strike that is lost or doubled shows. */
async function twiceFailed(trigger: Story["trigger"]): Promise<Automation> {
  const automation = await world.createAutomation("triage", { trigger: { type: trigger } });
  return world.client.patchStatus(Automation, automation, { ...automation.status, consecutiveFailures: 2 });
}

/** What a person sees in the end. */
async function endOf(run: Run): Promise<object> {
  const name = run.metadata.name!;
  const { status } = await world.automation("triage");
  return {
    run: conditionOf(await world.run(name))?.reason,
    consecutiveFailures: status?.consecutiveFailures,
    paused: conditionOf({ status }, "Paused")?.reason,
    activeRuns: status?.activeRuns,
    active: status?.active,
    lastRun: [status?.lastRun?.name, status?.lastRun?.reason],
    sessions: await world.names(Session),
    prompts: await world.names(Prompt),
  };
}

async function restingOperator(): Promise<Operator> {
  const operator = await world.startOperator();
  await world.rest(operator);
  return operator;
}

/**
 * Tells the story with an operator in trouble, which finds automation and Run when it starts, and, when that one died, with
 * others after it. Without trouble it has seen the automation before, as two first looks may cost one refused write.
 */
async function tell(story: Story, trouble?: Trouble): Promise<{ writes: number; run: Run; restarts: number }> {
  const automation = await twiceFailed(story.trigger);
  const undisturbed = trouble ? undefined : await restingOperator();
  const run =
    story.trigger === "Webhook"
      ? await world.createDelivery(automation)
      : await world.createRun(automation, { type: "Manual" });
  const name = run.metadata.name!;
  let operator = undisturbed ?? (await world.startOperator(trouble));
  let restarts = 0;
  const replaceDead = async (): Promise<void> => {
    if (!operator.work.reconciles.some((line) => line.endsWith("stopped"))) return;
    await operator.stop();
    restarts += 1;
    operator = await world.startOperator();
  };
  await world.until("the story is over", async () => {
    await replaceDead();
    const prompt = await world.findPrompt(`${name}-0-1`);
    if (prompt && !conditionOf(prompt)) {
      await world.settlePrompt(`${name}-0-1`, story.succeeds, story.succeeds ? "Completed" : "Failed");
    }
    return (conditionOf(await world.run(name))?.status ?? "Unknown") !== "Unknown";
  });
  await world.rest(operator);
  await replaceDead();
  await world.rest(operator);
  const { length } = operator.writes;
  await operator.stop();
  const second = await world.startOperator();
  await world.rest(second);
  expect(second.writes).toEqual([]);
  return { writes: length, run, restarts };
}

function wantedEnd(story: Story, { metadata: { name } }: Run): object {
  return {
    run: story.succeeds ? "Completed" : "Failed",
    consecutiveFailures: story.succeeds ? 0 : 3,
    paused: story.succeeds ? "NotPaused" : "TooManyFailures",
    activeRuns: 0,
    active: undefined,
    lastRun: [name, story.succeeds ? "Completed" : "Failed"],
    sessions: [`${name!}-0`],
    prompts: [`${name!}-0-1`],
  };
}

describe.each(stories)("$name", (story) => {
  it("costs a known number of writes", async () => {
    const { writes, run } = await tell(story);
    expect(await endOf(run)).toEqual(wantedEnd(story, run));
    expect(writes).toBeLessThanOrEqual(story.writes);
  });

  const each = Array.from({ length: story.writes }, (_, index) => index + 1);

  it.each(each)("ends the same when the process is killed before write %i", async (diesAt) => {
    const { run } = await tell(story, { diesAt });
    expect(await endOf(run)).toEqual(wantedEnd(story, run));
  });

  it.each(each)("ends the same when write %i fails once", async (failsAt) => {
    const { run, restarts } = await tell(story, { failsAt });
    expect(await endOf(run)).toEqual(wantedEnd(story, run));
    expect(restarts).toBe(0);
  });
});
