import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Automation } from "../../../src/api/v1alpha1/index.ts";
import { slotRunName } from "../../../src/controllers/automation/slots/resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../run/world.ts";
import {
  firedSlots,
  hour,
  hourly,
  hourMs,
  moveTo,
  patchSpec,
  slotText,
  startHour,
  untilFired,
  untilNext,
} from "./scheduled.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  startHour(world);
});
afterEach(() => world.close());

const minutesMs = (minutes: number): number => minutes * 60_000;

/** An hourly automation whose next slot the returned operator has written. */
async function startHourly(): Promise<{ first: Date; operator: Awaited<ReturnType<World["startOperator"]>> }> {
  await world.createAutomation("nightly", hourly());
  const operator = await world.startOperator();
  const first = hour(world, 1);
  await untilNext(world, "nightly", first);
  return { first, operator };
}

it("fires each slot once, at its time, and shows the last and the next", async () => {
  const { first } = await startHourly();
  moveTo(world, new Date(first.getTime() - 1));
  expect(await firedSlots(world)).toEqual([]);
  moveTo(world, first);
  const run = await untilFired(world, first, "Running");
  const second = new Date(first.getTime() + hourMs);
  const { metadata, status } = await untilNext(world, "nightly", second);
  expect(status?.lastScheduleTime).toBe(slotText(first));
  expect(conditionOf({ status }, "Ready")).toMatchObject({ status: "True", reason: "Ready" });
  expect(run.metadata.name).toBe(slotRunName({ name: "nightly", uid: metadata.uid ?? "" }, first));
  expect(run.spec).toMatchObject({
    automationRef: { name: "nightly", uid: metadata.uid, generation: 1 },
    trigger: { type: "Schedule", time: slotText(first) },
  });
  await world.settlePrompt(`${run.metadata.name ?? ""}-0-1`, true, "Completed");
  await world.untilRun(run.metadata.name ?? "", "Completed");
  moveTo(world, second);
  await untilFired(world, second, "Running");
  expect(await firedSlots(world)).toEqual([first, second].map(slotText));
});

it("writes nothing between slots", async () => {
  const { operator } = await startHourly();
  await world.rest(operator);
  operator.writes.length = 0;
  world.clock.advance(Math.max(0, hour(world, 1).getTime() - world.clock.now().getTime() - minutesMs(1)));
  await world.rest(operator);
  expect(operator.writes).toEqual([]);
});

/** Starts a Run of the hourly automation; returns its name. */
async function startRun(by: string, slot: Date): Promise<string> {
  if (by === "Schedule") {
    moveTo(world, slot);
    return (await untilFired(world, slot, "Running")).metadata.name ?? "";
  }
  const run = await world.createRun(await world.automation("nightly"), { type: "Manual" });
  return (await world.untilRun(run.metadata.name ?? "", "Running")).metadata.name ?? "";
}

describe("slots that come while a Run is active", () => {
  it.each([{ by: "Schedule" }, { by: "Manual" }])("are recorded as skipped: by $by", async ({ by }) => {
    const { first } = await startHourly();
    const active = await startRun(by, first);
    const slot = hour(world, 1);
    moveTo(world, slot);
    const skipped = await untilFired(world, slot, "Skipped");
    expect(conditionOf(skipped, "Stalled")).toMatchObject({ reason: "ConcurrentRunActive" });
    expect(conditionOf(skipped)?.message).toContain(active);
    await untilNext(world, "nightly", new Date(slot.getTime() + hourMs));
    expect((await world.automation("nightly")).status).toMatchObject({ consecutiveFailures: 0 });
  });
});

it("is not moved by a manual Run", async () => {
  const { first } = await startHourly();
  const run = await world.createRun(await world.automation("nightly"), { type: "Manual" });
  await world.untilRun(run.metadata.name ?? "", "Running");
  await untilNext(world, "nightly", first);
});

describe("a controller that was away", () => {
  it("fires once for all that it missed, even past the start deadline, and says so", async () => {
    const { first, operator } = await startHourly();
    await operator.stop();
    moveTo(world, new Date(first.getTime() + 3 * hourMs + minutesMs(20)));
    const second = await world.startOperator();
    const run = await untilFired(world, first, "Running");
    await untilNext(world, "nightly", new Date(first.getTime() + 4 * hourMs));
    expect(await firedSlots(world)).toEqual([slotText(first)]);
    expect(Date.parse(run.spec.trigger.firedTime ?? "")).toBeGreaterThan(first.getTime() + 3 * hourMs);
    const told = second.events.filter(({ reason }) => reason === "MissedSchedule");
    expect(told).toMatchObject([{ type: "Warning", regarding: { kind: "Automation", name: "nightly" } }]);
  });

  it("fires nothing for the past when the schedule was edited meanwhile", async () => {
    const { first, operator } = await startHourly();
    await operator.stop();
    await patchSpec(world, "nightly", { trigger: { schedule: { cron: "30 * * * *" } } });
    moveTo(world, new Date(first.getTime() + 3 * hourMs + minutesMs(20)));
    const next = await world.startOperator();
    await untilNext(world, "nightly", new Date(first.getTime() + 3 * hourMs + minutesMs(30)));
    await world.rest(next);
    expect(await firedSlots(world)).toEqual([]);
  });
});

describe("an edit of the schedule", () => {
  it("has its next slot from now on and none in the past", async () => {
    const { first, operator } = await startHourly();
    moveTo(world, new Date(first.getTime() - minutesMs(20)));
    await patchSpec(world, "nightly", { trigger: { schedule: { cron: "15 * * * *" } } });
    await untilNext(world, "nightly", new Date(first.getTime() + minutesMs(15)));
    moveTo(world, new Date(first.getTime() + minutesMs(5)));
    await world.rest(operator);
    expect(await firedSlots(world)).toEqual([]);
  });
});

describe("a pause", () => {
  it("by hand takes the next slot away and gives the first one after it back", async () => {
    const { first, operator } = await startHourly();
    await patchSpec(world, "nightly", { suspend: true });
    await untilNext(world, "nightly", undefined);
    moveTo(world, new Date(first.getTime() + 3 * hourMs + minutesMs(20)));
    await world.rest(operator);
    await patchSpec(world, "nightly", { suspend: false });
    await untilNext(world, "nightly", new Date(first.getTime() + 4 * hourMs));
    expect(await firedSlots(world)).toEqual([]);
  });

  it("that began while the controller was away is not made up for", async () => {
    const { first, operator } = await startHourly();
    await operator.stop();
    await patchSpec(world, "nightly", { suspend: true });
    moveTo(world, new Date(first.getTime() + minutesMs(20)));
    const next = await world.startOperator();
    await untilNext(world, "nightly", undefined);
    await patchSpec(world, "nightly", { suspend: false });
    await untilNext(world, "nightly", new Date(first.getTime() + hourMs));
    await world.rest(next);
    expect(await firedSlots(world)).toEqual([]);
  });
});

describe("controllers in trouble", () => {
  // Before the slot: the automation's status. For it: the Run, the status, and what starts the Run.
  const writes = 6;
  const each = Array.from({ length: writes }, (_, index) => index + 1);

  async function oneRun(first: Date): Promise<void> {
    const run = await untilFired(world, first, "Running");
    await untilNext(world, "nightly", new Date(first.getTime() + hourMs));
    expect(await firedSlots(world)).toEqual([slotText(first)]);
    expect((await world.automation("nightly")).status).toMatchObject({
      lastScheduleTime: slotText(first),
      active: { name: run.metadata.name },
    });
  }

  it.each(each)("fire a slot once when write %i fails", async (failsAt) => {
    await world.createAutomation("nightly", hourly());
    await world.startOperator({ failsAt });
    const first = hour(world, 1);
    await untilNext(world, "nightly", first);
    moveTo(world, first);
    await oneRun(first);
  });

  it.each(each)("fire a slot once when one is killed before write %i", async (diesAt) => {
    await world.createAutomation("nightly", hourly());
    const dying = await world.startOperator({ diesAt });
    const first = hour(world, 1);
    const isDead = (): boolean => dying.work.reconciles.some((line) => line.endsWith("stopped"));
    await world.until("the next slot is known", async () => {
      return isDead() || (await world.automation("nightly")).status?.nextScheduleTime !== undefined;
    });
    if (!isDead()) moveTo(world, first);
    await world.until("it is dead", isDead);
    await dying.stop();
    await world.startOperator();
    if (diesAt === 1) {
      await untilNext(world, "nightly", first);
      moveTo(world, first);
    }
    await oneRun(first);
  });

  it("make up for what was missed after a slot that was fired without a trace in the status", async () => {
    await world.createAutomation("nightly", hourly());
    // The third write would be the status after the slot's Run.
    const dying = await world.startOperator({ diesAt: 3 });
    const first = hour(world, 1);
    await untilNext(world, "nightly", first);
    moveTo(world, first);
    await world.until("it is dead", () => dying.work.reconciles.some((line) => line.endsWith("stopped")));
    await dying.stop();
    moveTo(world, new Date(first.getTime() + 2 * hourMs + minutesMs(20)));
    await world.startOperator();
    const second = new Date(first.getTime() + hourMs);
    await untilFired(world, second, "Running");
    await untilNext(world, "nightly", new Date(first.getTime() + 3 * hourMs));
    expect(await firedSlots(world)).toEqual([first, second].map(slotText));
  });

  it("fire each slot once when two lead at the same time", async () => {
    const { first } = await startHourly();
    await world.startOperator();
    const slots = [0, 1, 2].map((count) => new Date(first.getTime() + count * hourMs));
    for (const slot of slots) {
      moveTo(world, slot);
      await untilNext(world, "nightly", new Date(slot.getTime() + hourMs));
      await untilFired(world, slot, slot === slots[0] ? "Running" : "Skipped");
    }
    expect(await firedSlots(world)).toEqual(slots.map(slotText));
  });

  it("say so when another Run has the slot's name, and go on", async () => {
    const { first, operator } = await startHourly();
    const { metadata } = await world.automation("nightly");
    const name = slotRunName({ name: "nightly", uid: metadata.uid ?? "" }, first);
    await world.createRun(await world.automation("nightly"), { type: "Manual" }, { name });
    moveTo(world, first);
    await untilNext(world, "nightly", new Date(first.getTime() + hourMs));
    expect(operator.events).toContainEqual(expect.objectContaining({ type: "Warning", reason: "NameTaken" }));
  });
});

it("an automation of another UID under the same name begins anew", async () => {
  const { first, operator } = await startHourly();
  moveTo(world, first);
  const run = await untilFired(world, first, "Running");
  await operator.stop();
  const { metadata } = await world.automation("nightly");
  await world.client.delete(Automation, { namespace: world.namespace, name: "nightly" });
  const again = await world.createAutomation("nightly", hourly());
  expect(again.metadata.uid).not.toBe(metadata.uid);
  await world.startOperator();
  const second = new Date(first.getTime() + hourMs);
  await untilNext(world, "nightly", second);
  moveTo(world, second);
  const next = await untilFired(world, second, "Running");
  expect(next.spec.automationRef.uid).toBe(again.metadata.uid);
  expect(next.metadata.name?.slice(-8)).not.toBe(run.metadata.name?.slice(-8));
});
