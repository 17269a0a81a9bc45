import { Automation, Run, type AutomationSpec } from "../../../src/api/v1alpha1/index.ts";
import type { World } from "../run/world.ts";

export const hourMs = 3_600_000;

export function hourly(spec: Partial<AutomationSpec> = {}): Partial<AutomationSpec> {
  return { trigger: { type: "Schedule", schedule: { cron: "0 * * * *", timeZone: "UTC" } }, ...spec };
}

export function slotText(slot: Date): string {
  return `${slot.toISOString().slice(0, 19)}Z`;
}

/** The full hour so many hours after the one that the world's clock is in. */
export function hour(world: World, count: number): Date {
  const nowMs = world.clock.now().getTime();
  return new Date(nowMs - (nowMs % hourMs) + count * hourMs);
}

/** Leaves the first hour, so that no slot comes before a test expects it; Runs are not too old then. */
export function startHour(world: World): void {
  moveTo(world, new Date(hour(world, 1).getTime() + 300_000));
}

/** Moves the world's clock to an instant that is still to come. */
export function moveTo(world: World, instant: Date): void {
  world.clock.advance(instant.getTime() - world.clock.now().getTime());
}

/** The slots that Runs were made for, oldest first. */
export async function firedSlots(world: World): Promise<(string | undefined)[]> {
  return (await scheduledRuns(world)).map(({ spec }) => spec.trigger.time);
}

export async function scheduledRuns(world: World): Promise<Run[]> {
  const { items } = await world.client.list(Run, { namespace: world.namespace });
  const scheduled = items.filter(({ spec }) => spec.trigger.type === "Schedule");
  return scheduled.sort((a, b) => (a.metadata.name ?? "").localeCompare(b.metadata.name ?? ""));
}

/** Waits until the automation's status shows this slot as the next one; undefined: none. */
export async function untilNext(world: World, name: string, slot: Date | undefined): Promise<Automation> {
  const want = slot && slotText(slot);
  await world.until(`the next slot of ${name} is ${want ?? "none"}`, async () => {
    const { status, metadata } = await world.automation(name);
    return status?.observedGeneration === metadata.generation && status?.nextScheduleTime === want;
  });
  return world.automation(name);
}

/** Waits until the slot's Run is there and has this reason. */
export async function untilFired(world: World, slot: Date, reason: string): Promise<Run> {
  const find = async (): Promise<Run | undefined> => {
    return (await scheduledRuns(world)).find(({ spec }) => spec.trigger.time === slotText(slot));
  };
  await world.until(`the slot of ${slotText(slot)} is fired`, async () => (await find()) !== undefined);
  return world.untilRun((await find())?.metadata.name ?? "", reason);
}

export async function patchSpec(world: World, name: string, spec: object): Promise<void> {
  await world.client.patch(Automation, { namespace: world.namespace, name }, { spec });
}
