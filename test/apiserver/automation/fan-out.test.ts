import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Automation, Prompt, type Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../run/world.ts";
import { hour, hourly, hourMs, moveTo, startHour, untilFired, untilNext } from "./scheduled.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  startHour(world);
});
afterEach(() => world.close());

/** A Run of the next slot, with a session for each target, of an automation that failed once before. */
async function fire(targets: number): Promise<Run> {
  const spec = hourly({
    targets: Array.from({ length: targets }, (_, index) =>
      index % 2 === 0 ? { repositoryRef: { name: `r${index}` } } : { environmentRef: { name: `e${index}` } },
    ),
  });
  const automation = await world.createAutomation("nightly", spec);
  await world.client.patchStatus(Automation, automation, { ...automation.status, consecutiveFailures: 1 });
  await world.startOperator();
  const slot = hour(world, 1);
  await untilNext(world, "nightly", slot);
  moveTo(world, slot);
  return untilFired(world, slot, "Running");
}

/** Ends each session's first prompt: `c` completed, `f` failed, `-` not, in the order of the targets. */
async function end({ metadata }: Run, outcomes: string): Promise<void> {
  for (const [index, outcome] of Array.from(outcomes).entries()) {
    if (outcome === "-") continue;
    const name = `${metadata.name ?? ""}-${index}-1`;
    await world.until(`Prompt ${name} is there`, async () => (await world.findPrompt(name)) !== undefined);
    await world.settlePrompt(name, outcome === "c", outcome === "c" ? "Completed" : "Failed");
  }
}

async function failures(): Promise<number | undefined> {
  return (await world.automation("nightly")).status?.consecutiveFailures;
}

describe("a slot of an automation with more than one target", () => {
  it.each([
    { outcomes: "ccc", reason: "Completed", counted: 0 },
    { outcomes: "cfc", reason: "PartiallyFailed", counted: 2 },
    { outcomes: "fff", reason: "Failed", counted: 2 },
    { outcomes: "cccccccccc", reason: "Completed", counted: 0 },
    { outcomes: "cccccccccf", reason: "PartiallyFailed", counted: 2 },
    { outcomes: "ffffffffff", reason: "Failed", counted: 2 },
  ])("that ends $outcomes is $reason and counts $counted", async ({ outcomes, reason, counted }) => {
    const run = await fire(outcomes.length);
    const name = run.metadata.name ?? "";
    expect(run.status?.sessions?.map(({ target }) => target)).toEqual(
      Array.from(outcomes, (_, index) => (index % 2 === 0 ? `Repository/r${index}` : `Environment/e${index}`)),
    );
    await end(run, outcomes);
    await world.untilRun(name, reason);
    expect(await failures()).toBe(counted);
    const wanted = Array.from(outcomes, (_, index) => `${name}-${index}`);
    expect(await world.names(Session)).toEqual(wanted);
    expect(await world.names(Prompt)).toEqual(wanted.map((session) => `${session}-1`));
  });

  it("is a strike when the first session fails, and no second one when others do", async () => {
    const run = await fire(3);
    await end(run, "f");
    await world.until("the strike is counted", async () => (await failures()) === 2);
    expect(conditionOf(await world.run(run.metadata.name ?? ""))?.status).toBe("Unknown");
    await end(run, "-ff");
    await world.untilRun(run.metadata.name ?? "", "Failed");
    expect(await failures()).toBe(2);
  });

  it("holds the next slot back while one session works", async () => {
    const run = await fire(3);
    await end(run, "cc");
    const slot = hour(world, 1);
    moveTo(world, slot);
    const skipped = await untilFired(world, slot, "Skipped");
    expect(conditionOf(skipped, "Stalled")).toMatchObject({ reason: "ConcurrentRunActive" });
    await untilNext(world, "nightly", new Date(slot.getTime() + hourMs));
    expect(await failures()).toBe(1);
  });
});
