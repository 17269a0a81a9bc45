import type { ReadSchedule } from "./problem.ts";
import { nextSlot } from "./slots.ts";

/** The slots of a schedule around an instant. */
export interface Due {
  /** The slot to fire now; the first where several were missed. */
  slot: Date | undefined;
  /** The first slot after `slot`; it may be in the past. */
  following?: Date | undefined;
  /** The first slot after now; undefined when there is none. */
  next: Date | undefined;
}

/**
 * Decides by the slot that was stored as the next one. It is fired when its time has come, once for all slots that were
 * missed since, but only while the schedule still has it: an edited schedule has no slots in the past.
 */
export function dueSlot(schedule: ReadSchedule, stored: string | undefined, now: Date): Due {
  const { cron, zone } = schedule;
  const next = nextSlot(cron, zone, now);
  const storedMs = stored === undefined ? NaN : Date.parse(stored);
  // False for NaN as well.
  if (!(storedMs <= now.getTime())) return { slot: undefined, next };
  const isSlot = nextSlot(cron, zone, new Date(storedMs - 1))?.getTime() === storedMs;
  if (!isSlot) return { slot: undefined, next };
  const slot = new Date(storedMs);
  return { slot, following: nextSlot(cron, zone, slot), next };
}

/** A slot fired later than this was missed: 1 minute. */
const onTimeMs = 60_000;

export function isMissed(slot: Date, now: Date): boolean {
  return now.getTime() - slot.getTime() > onTimeMs;
}
