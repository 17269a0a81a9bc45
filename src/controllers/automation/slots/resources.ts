import { createHash } from "node:crypto";
import { type Automation, labels, type Run } from "../../../api/v1alpha1/index.ts";
import { namePrefix } from "../../../domain/object-names.ts";
import { base32 } from "../../../lib/base32.ts";

/** A slot fired later than this was missed: 1 minute. */
const onTimeMs = 60_000;
/** Characters of the hash that a slot's Run has in its name. */
const uidCharacters = 8;

/** The Run of one slot; every controller gives it the same name. */
export function makeSlotRun({ metadata }: Automation, slot: Date, now: Date): Run {
  const { name = "", namespace, uid = "", generation } = metadata;
  const firedTime = isMissed(slot, now) ? { firedTime: now.toISOString() } : {};
  return {
    metadata: {
      name: slotRunName({ name, uid }, slot),
      namespace,
      labels: { [labels.automationUid]: uid, [labels.automationName]: name },
    },
    spec: {
      automationRef: { name, uid, generation },
      trigger: { type: "Schedule", time: slotText(slot), ...firedTime },
    },
  };
}

/**
 * The name of the one Run that a slot of an Automation can have, the same for every controller:
 * `nightly-202605040300-k3v5xq2a`, the slot in UTC and a hash of the UID.
 */
export function slotRunName(automation: { name: string; uid: string }, slot: Date): string {
  const time = slot.toISOString().replace(/[-:T]/g, "").slice(0, 12);
  const hash = base32(createHash("sha256").update(automation.uid, "utf8").digest()).slice(0, uidCharacters);
  return `${namePrefix(automation.name)}-${time}-${hash}`;
}

export function isMissed(slot: Date, now: Date): boolean {
  return now.getTime() - slot.getTime() > onTimeMs;
}

/** Whether the stored Run is the one of the same slot and automation. */
export function isSameFiring({ spec: stored }: Run, { spec: wanted }: Run): boolean {
  return (
    stored.automationRef.uid === wanted.automationRef.uid &&
    stored.trigger.type === wanted.trigger.type &&
    stored.trigger.time === wanted.trigger.time
  );
}

/** A slot is a whole second, as Kubernetes writes instants. */
export function slotText(slot: Date): string {
  return `${slot.toISOString().slice(0, 19)}Z`;
}
