import type { Incarnation, Model } from "./model.ts";
import { slotText } from "./slot-times.ts";
import type { World } from "./world.ts";

/** Waits until the slot that is due, if there is one, was fired or left out; the model has its Run from then on. */
export async function settleSlot(world: World, model: Model): Promise<void> {
  const { current } = model;
  const nowMs = world.clock.nowMs;
  const firing = model.firing(nowMs);
  if (!current || firing === undefined) return;
  const slot = slotText(current.nextSlotMs ?? nowMs);
  await world.until(async () => {
    const status = (await world.automation())?.status;
    return status?.nextScheduleTime === slot ? `the slot ${slot} is over` : undefined;
  });
  // A pass that began before a pause may fire the slot after it.
  if (firing === "may") await world.rest();
  await world.seesAllRuns();
  adoptSlot(world, model, { current, slot, firing });
}

function adoptSlot(
  world: World,
  model: Model,
  { current, slot, firing }: { current: Incarnation; slot: string; firing: "must" | "may" | "never" },
): void {
  const seen = world.ledger.runOfSlot(current.uid, slot);
  if (firing === "must" && !seen) throw new Error(`the slot ${slot} has no Run`);
  if (firing === "never" && seen) throw new Error(`the slot ${slot} was fired while paused, as Run ${seen.name}`);
  current.nextSlotMs = undefined;
  if (!seen) return;
  current.firedSlots.add(slot);
  const { name, firedMs: acceptedMs } = seen;
  model.add({ name, automationUid: current.uid, isExclusive: true, whilePaused: false, acceptedMs });
}

/** A Run of a slot that was not due. */
export function unexpectedSlot(world: World, { current }: Model): string | undefined {
  if (!current) return undefined;
  const slot = world.ledger.slots(current.uid).find((one) => !current.firedSlots.has(one));
  return slot === undefined ? undefined : `the slot ${slot} was fired and was not due`;
}
