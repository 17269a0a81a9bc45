import { type Automation, labels, type Run } from "../../../api/v1alpha1/index.ts";
import { isMissed } from "./due.ts";
import { slotRunName } from "./run-name.ts";

/** The Run of one slot; every controller gives it the same name. */
export function makeSlotRun({ metadata }: Automation, slot: Date, now: Date): Run {
  const { name = "", namespace, uid = "", generation } = metadata;
  return {
    metadata: {
      name: slotRunName({ name, uid }, slot),
      namespace,
      labels: { [labels.automationUid]: uid, [labels.automationName]: name },
    },
    spec: {
      automationRef: { name, uid, generation },
      trigger: {
        type: "Schedule",
        time: slotText(slot),
        ...(isMissed(slot, now) ? { firedTime: now.toISOString() } : {}),
      },
    },
  };
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
