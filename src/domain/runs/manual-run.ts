import { annotations, labels } from "../../api/v1alpha1/names.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { randomName } from "../object-names.ts";

export interface ManualFiring {
  /** With a UID, the Run is skipped if another Automation has the name by then. */
  automation: { namespace: string; name: string; uid?: string | undefined };
  /** When the person fired it. */
  time: Date;
  /** `randomNameBytes` bytes that name the Run, so that a repeated create stores no second one. */
  random: Uint8Array;
  /** Start even if the automation is paused, which it stays. */
  whilePaused: boolean;
}

/** The Run that fires an automation by hand. */
export function manualRun({ automation, time, random, whilePaused }: ManualFiring): Run {
  const { namespace, name, uid } = automation;
  return {
    metadata: {
      namespace,
      name: randomName(name, random),
      ...(uid === undefined ? {} : { labels: { [labels.automationUid]: uid, [labels.automationName]: name } }),
      ...(whilePaused ? { annotations: { [annotations.whilePaused]: "true" } } : {}),
    },
    spec: {
      automationRef: { name, ...(uid === undefined ? {} : { uid }) },
      trigger: { type: "Manual", time: time.toISOString() },
    },
  };
}
