import { afterAll, beforeAll, expect, it } from "vitest";

import { Automation, type Run } from "../../../src/api/v1alpha1/index.ts";
import { slotRunName } from "../../../src/controllers/automation/slots/resources.ts";
import { until } from "../../support/kube.ts";
import { aboutOf, isCounted, isEvent, World } from "./world.ts";

const writesOfSlot = 17;
const mostEvents = 8;

const dayMs = 86_400_000;
const minuteMs = 60_000;

let world: World;

beforeAll(async () => {
  world = await World.working();
  await world.warmUp();
});

afterAll(() => world.close());

const key = (): { namespace: string; name: string } => ({ namespace: world.namespace, name: "nightly" });

/** A daily automation whose slot came some minutes ago, before there was an automation. */
async function createDaily(slot: Date): Promise<Automation> {
  const { spec } = await world.client.get(Automation, { namespace: world.namespace, name: "fix" });
  const cron = `${slot.getUTCMinutes()} ${slot.getUTCHours()} * * *`;
  const trigger = { type: "Schedule" as const, schedule: { cron, timeZone: "UTC" } };
  await world.client.create(Automation, { metadata: key(), spec: { ...spec, trigger } });
  await until(
    "its next slot is known",
    async () => (await world.client.get(Automation, key())).status?.nextScheduleTime !== undefined,
  );
  await world.settled();
  return world.client.get(Automation, key());
}

/** Makes it look as if the slot of this time had come unseen; the change of the spec brings a look. */
async function makeDue(automation: Automation, slot: Date): Promise<void> {
  await world.client.patchStatus(Automation, automation, {
    ...automation.status,
    nextScheduleTime: slot.toISOString(),
  });
  await world.client.patch(Automation, key(), { spec: { displayName: `Slot of ${slot.toISOString()}` } });
}

async function costOfSlot(automation: Automation, slot: Date): Promise<{ writes: string[]; events: number; run: Run }> {
  const { controller, gateway } = world.proxies;
  const marks = { controller: controller.seen.length, gateway: gateway.seen.length };
  await makeDue(automation, slot);
  const name = slotRunName({ name: "nightly", uid: automation.metadata.uid ?? "" }, slot);
  await until("the slot is fired", async () => (await world.run(name).catch(() => undefined)) !== undefined);
  const run = await world.written(name);
  const seen = [...controller.seen.slice(marks.controller), ...gateway.seen.slice(marks.gateway)];
  return { writes: seen.filter(isCounted).map(aboutOf), events: seen.filter(isEvent).length, run };
}

it("a scheduled Run costs 17 writes and 8 events at most, its slot included", async () => {
  const nowMs = Date.now();
  const slot = new Date(nowMs - (nowMs % minuteMs) - 5 * minuteMs);
  const { writes, events, run } = await costOfSlot(await createDaily(slot), slot);
  expect(run.status).toMatchObject({ result: { summary: "Fixed it" } });
  expect(writes.filter((write) => write === "POST runs")).toHaveLength(1);
  expect(writes.length, writes.join("\n")).toBe(writesOfSlot);
  expect(events).toBeLessThanOrEqual(mostEvents);
  const { status } = await world.client.get(Automation, key());
  expect(Date.parse(status?.lastScheduleTime ?? "")).toBe(slot.getTime());
  expect(Date.parse(status?.nextScheduleTime ?? "")).toBe(slot.getTime() + dayMs);
});
