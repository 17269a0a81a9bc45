import { type Automation, labels, reasons, type Run } from "../../api/v1alpha1/index.ts";

/** Why a Run has no automation any more. */
export type Orphaned =
  typeof reasons.automationNotFound | typeof reasons.automationDeleted | typeof reasons.automationReplaced;

/** The UID of the automation that the Run was made for; undefined for one by a person that nobody has judged yet. */
export function automationUidOf({ metadata, spec }: Run): string | undefined {
  return spec.automationRef.uid ?? metadata.labels?.[labels.automationUid];
}

/** Why the automation is not the Run's; undefined when it is. `automation` is the live object of the name. */
export function orphanedBecause(run: Run, automation: Automation | undefined): Orphaned | undefined {
  const uid = automationUidOf(run);
  if (!automation) return uid === undefined ? reasons.automationNotFound : reasons.automationDeleted;
  if (uid !== undefined && uid !== automation.metadata.uid) return reasons.automationReplaced;
  return undefined;
}

/** Causes that a person should still be able to read for a while, though the automation is gone. */
export function isOrphaned(cause: string | undefined): boolean {
  return (
    cause === reasons.automationNotFound || cause === reasons.automationDeleted || cause === reasons.automationReplaced
  );
}

/** How long a Run that lost its automation before it started can still be read, in milliseconds: 1 hour. */
export const orphanedKeptMs = 3_600_000;
