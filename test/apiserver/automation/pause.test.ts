import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { annotations, Automation } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "../run/world.ts";
import { firedSlots, hour, hourly, hourMs, moveTo, patchSpec, startHour, untilFired, untilNext } from "./scheduled.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  startHour(world);
  await world.createAutomation("nightly", hourly());
  operator = await world.startOperator();
  await untilNext(world, "nightly", hour(world, 1));
});
afterEach(() => world.close());

async function failures(): Promise<number | undefined> {
  return (await world.automation("nightly")).status?.consecutiveFailures;
}

async function pause(): Promise<string | undefined> {
  return conditionOf(await world.automation("nightly"), "Paused")?.reason;
}

/** Lets the next slot come and its Run end. */
async function slotEnds(succeeds: boolean): Promise<void> {
  const slot = hour(world, 1);
  moveTo(world, slot);
  const run = (await untilFired(world, slot, "Running")).metadata.name ?? "";
  await world.untilPrompt(run);
  await world.settlePrompt(`${run}-0-1`, succeeds, succeeds ? "Completed" : "Failed");
  await world.untilRun(run, succeeds ? "Completed" : "Failed");
}

async function byHand(succeeds: boolean, metadata: { annotations?: Record<string, string> } = {}): Promise<void> {
  const created = await world.createRun(await world.automation("nightly"), manual(), named(metadata));
  const run = created.metadata.name ?? "";
  await world.untilPrompt(run);
  await world.settlePrompt(`${run}-0-1`, succeeds, succeeds ? "Completed" : "Failed");
  await world.untilRun(run, succeeds ? "Completed" : "Failed");
}

/** By the world's clock, which is hours ahead of the API server's by then. */
function manual(): { type: "Manual"; time: string } {
  return { type: "Manual", time: world.clock.now().toISOString() };
}

let requests = 0;

function named<M>(metadata: M): M & { name: string } {
  return { name: `by-hand-${(requests += 1)}`, ...metadata };
}

async function requestResume(): Promise<void> {
  const patch = { metadata: { annotations: { [annotations.resumeRequestedAt]: `request ${(requests += 1)}` } } };
  await world.client.patch(Automation, { namespace: world.namespace, name: "nightly" }, patch);
}

/** What the letters of a sequence do; each waits until its effect is to be seen. */
const steps: Record<string, () => Promise<void>> = {
  F: () => slotEnds(false),
  C: () => slotEnds(true),
  /** Failed by hand. */
  M: () => byHand(false),
  async R() {
    await requestResume();
    await world.until("it is resumed", async () => (await pause()) === "NotPaused");
  },
  async "["() {
    await patchSpec(world, "nightly", { suspend: true });
    await world.until("it is paused", async () => (await pause()) !== "NotPaused");
  },
  async "]"() {
    await patchSpec(world, "nightly", { suspend: false });
    await world.until("it is resumed", async () => (await pause()) === "NotPaused");
  },
};

describe("an automation whose Runs", () => {
  it.each([
    { sequence: "FFF", counts: [1, 2, 3], end: "TooManyFailures" },
    { sequence: "FFCFF", counts: [1, 2, 0, 1, 2], end: "NotPaused" },
    { sequence: "FMF", counts: [1, 2, 3], end: "TooManyFailures" },
    { sequence: "FFFRF", counts: [1, 2, 3, 0, 1], end: "NotPaused" },
    { sequence: "FF[]F", counts: [1, 2, 2, 0, 1], end: "NotPaused" },
  ])("end $sequence counts $counts and is $end", async ({ sequence, counts, end }) => {
    const seen: (number | undefined)[] = [];
    for (const step of sequence) {
      await steps[step]?.();
      seen.push(await failures());
    }
    expect(seen).toEqual(counts);
    expect(await pause()).toBe(end);
  });
});

async function failThrice(): Promise<Date> {
  for (let count = 0; count < 3; count += 1) await slotEnds(false);
  return hour(world, 0);
}

describe("a pause by failures", () => {
  it("has no next slot, says why, has one Event, and starts nothing", async () => {
    const last = await failThrice();
    const { status } = await untilNext(world, "nightly", undefined);
    expect(conditionOf({ status }, "Paused")).toMatchObject({ status: "True", reason: "TooManyFailures" });
    expect(conditionOf({ status }, "Ready")).toMatchObject({ status: "True" });
    moveTo(world, new Date(last.getTime() + 3 * hourMs));
    await world.rest(operator);
    expect(await firedSlots(world)).toHaveLength(3);
    const told = operator.events.filter(({ reason }) => reason === "TooManyFailures");
    expect(told).toMatchObject([{ type: "Warning", regarding: { kind: "Automation" } }]);
    const { spec } = await world.automation("nightly");
    expect(spec.suspend).toBe(false);
  });

  it("ends with a request to resume: the next slot is the first one from then on", async () => {
    const last = await failThrice();
    moveTo(world, new Date(last.getTime() + 3.5 * hourMs));
    await requestResume();
    await untilNext(world, "nightly", new Date(last.getTime() + 4 * hourMs));
    expect((await world.automation("nightly")).status).toMatchObject({ consecutiveFailures: 0 });
    expect(await firedSlots(world)).toHaveLength(3);
    expect(operator.events.map(({ reason }) => reason)).toContain("Resumed");
  });

  it("is not lifted by the same request twice, nor by spec.suspend", async () => {
    await failThrice();
    await steps.R?.();
    await failThrice();
    await patchSpec(world, "nightly", { suspend: true });
    await patchSpec(world, "nightly", { suspend: false });
    await world.rest(operator);
    expect(await pause()).toBe("TooManyFailures");
  });

  it("lets a person start a Run who says so, which resumes nothing even when it completes", async () => {
    await failThrice();
    const refused = await world.createRun(await world.automation("nightly"), manual(), named({}));
    const skipped = await world.untilRun(refused.metadata.name ?? "", "Skipped");
    expect(conditionOf(skipped, "Stalled")).toMatchObject({ reason: "AutomationPaused" });
    await byHand(true, { annotations: { [annotations.whilePaused]: "true" } });
    const { status } = await untilNext(world, "nightly", undefined);
    expect(status?.consecutiveFailures).toBe(0);
    expect(await pause()).toBe("TooManyFailures");
  });
});
