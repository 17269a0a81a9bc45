import { type Automation, reasons, type Run, type Session } from "../../api/v1alpha1/index.ts";
import { automationUidOf } from "../../domain/runs/automation-uid.ts";
import { isSameOwner, type KubeObject, type ObjectKey, type OwnerReference } from "../../lib/resource.ts";
import type { Verdict } from "./verdict.ts";

/** Why a Run no longer has its automation. */
const orphanedReasons = [reasons.automationNotFound, reasons.automationDeleted, reasons.automationReplaced] as const;
type Orphaned = (typeof orphanedReasons)[number];

/** Namespace and name of the automation that the Run refers to. */
export function automationKey({ metadata, spec }: Run): ObjectKey {
  return { namespace: metadata.namespace, name: spec.automationRef.name };
}

/** Why the automation of the referenced name is not the Run's; undefined when it is. */
export function orphanedBecause(run: Run, automation: Automation | undefined): Orphaned | undefined {
  const uid = automationUidOf(run);
  if (!automation) return uid === undefined ? reasons.automationNotFound : reasons.automationDeleted;
  if (uid !== undefined && uid !== automation.metadata.uid) return reasons.automationReplaced;
  return undefined;
}

/** Whether a Run ended for this cause because it had no automation. */
export function isOrphaned(cause: string | undefined): boolean {
  return orphanedReasons.some((reason) => reason === cause);
}

/** How long a Run that had no automation to start is kept for people to read, in milliseconds: 1 hour. */
export const orphanedKeptMs = 3_600_000;

/** The verdict on a Run whose session does not run as the automation's ServiceAccount; undefined when it does. */
export function otherAccount({ metadata, spec }: Session, automation: Automation): Verdict | undefined {
  const { serviceAccountName } = automation.spec;
  if (spec.serviceAccountName === serviceAccountName) return undefined;
  const message = `Session ${metadata.name ?? ""} runs as ServiceAccount ${spec.serviceAccountName}, and its Automation says ${serviceAccountName}`;
  return { succeeded: false, reason: reasons.sessionChanged, message };
}

/**
 * Whether an object is of an owner that had this one's name before. That one is gone, as names are unique, and the garbage
 * collector is about to delete what it owned.
 */
export function isOfFormer({ metadata }: KubeObject, owner: OwnerReference): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.some(
    (one) => one.name === owner.name && one.uid !== owner.uid && isSameOwner({ ...one, uid: owner.uid }, owner),
  );
}
