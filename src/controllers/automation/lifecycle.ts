import { type Automation, type AutomationStatus, conditionTypes, reasons } from "../../api/v1alpha1/index.ts";
import { type Mark, withMarks } from "../../domain/conditions.ts";
import { storedSigningSecrets } from "../../domain/deliveries/signing-secrets.ts";
import { storedKeyHash } from "../../domain/keys.ts";
import type { AutomationFacts } from "./facts.ts";
import { specProblem } from "../spec-problem.ts";
import type { SlotDecision } from "./slots/decide.ts";

/** Whether there is a key for deliveries; undefined for triggers without deliveries. */
export function keyMark({ automation, keySecret, source }: AutomationFacts): Mark | undefined {
  const { trigger } = automation.spec;
  if (trigger.type === "ErrorTracker") return signingMark({ automation, keySecret });
  if (trigger.type !== "Webhook") return undefined;
  switch (source?.state) {
    case "found":
      return key("True", reasons.keyIssued, `Deliveries need the key whose hash is in Secret ${sourceOf(trigger)}`);
    case "missing":
      return key("False", reasons.secretNotFound, `There is no Secret ${sourceOf(trigger)}`);
    case "invalid":
      return key("False", reasons.keyInvalid, source.message);
    case undefined:
      if (storedKeyHash(keySecret)) return key("True", reasons.keyIssued, "Deliveries need the issued key");
      return key("False", reasons.keyNotIssued, `No key was issued yet: ${createCommand(automation)}`);
  }
}

function signingMark({ automation, keySecret }: Pick<AutomationFacts, "automation" | "keySecret">): Mark {
  if (storedSigningSecrets(keySecret).length > 0) {
    return key("True", reasons.keyIssued, "Deliveries must be signed with the stored secret");
  }
  const command = `kubectl runwright key set ${automation.metadata.namespace ?? ""}/${automation.metadata.name ?? ""} -f -`;
  return key("False", reasons.keyNotIssued, `No signing secret was set yet: ${command}`);
}

/** Whether the automation can work as its spec says; a key that a person still has to issue is no obstacle. */
export function readyMark(
  { automation, secretsRefusal }: Pick<AutomationFacts, "automation" | "secretsRefusal">,
  { keyIssued, problem, times }: Pick<SlotDecision, "times" | "problem"> & { keyIssued: Mark | undefined },
  now: Date,
): Mark {
  // Before the check of the spec, which would find the same problem under another reason.
  if (problem) return ready("False", problem.reason, problem.message);
  const invalid = specProblem(automation.spec);
  if (invalid !== undefined) return ready("False", reasons.invalidSpec, invalid);
  const isWaiting = keyIssued?.reason === reasons.keyInvalid || keyIssued?.reason === reasons.secretNotFound;
  if (isWaiting) return ready("False", keyIssued.reason, keyIssued.message);
  if (secretsRefusal) return ready("False", secretsRefusal.reason, secretsRefusal.message);
  return ready("True", reasons.ready, `The automation can be fired${farSlot(times, now)}`);
}

/** A next slot further away is shown in the message, so that a mistyped date is noticed: 31 days. */
const farMs = 31 * 86_400_000;

function farSlot({ nextScheduleTime }: SlotDecision["times"], now: Date): string {
  if (nextScheduleTime === undefined || Date.parse(nextScheduleTime) - now.getTime() <= farMs) return "";
  return `; its next slot, ${nextScheduleTime}, is more than 31 days away`;
}

/** Reasons that last until a person changes something. */
const stalling: readonly string[] = [
  reasons.invalidSchedule,
  reasons.intervalTooShort,
  reasons.unknownTimeZone,
  reasons.keyInvalid,
  reasons.invalidSpec,
  reasons.invalidSecret,
  reasons.secretsTooLarge,
];

/** The condition Stalled, which an automation has while it is not ready until a person changes something. */
export function stalledMark({ reason, message, status }: Mark): Mark | undefined {
  const isStalled = status === "False" && stalling.includes(reason);
  return isStalled ? { type: conditionTypes.stalled, status: "True", reason, message } : undefined;
}

function sourceOf({ webhook }: Automation["spec"]["trigger"]): string {
  return webhook?.keyHashSecretRef?.name ?? "";
}

function createCommand({ metadata }: Automation): string {
  return `kubectl runwright key create ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function key(status: Mark["status"], reason: string, message: string): Mark {
  return { type: conditionTypes.keyIssued, status, reason, message };
}

function ready(status: Mark["status"], reason: string, message: string): Mark {
  return { type: conditionTypes.ready, status, reason, message };
}

/** The status of an automation after a failed pass that is repeated. */
export function retryingStatus({ metadata, status }: Automation, message: string, now: Date): AutomationStatus {
  const { generation } = metadata;
  const { reconciling: type } = conditionTypes;
  const mark: Mark = { type, status: "True", reason: reasons.progressingWithRetry, message };
  const conditions = withMarks(status?.conditions, [mark], { now, generation });
  return { ...status, observedGeneration: generation, conditions };
}
