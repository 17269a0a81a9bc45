import { type Automation, type AutomationStatus, conditionTypes, reasons } from "../../api/v1alpha1/index.ts";
import { type Mark, withMarks } from "../../domain/conditions.ts";
import type { AutomationFacts } from "./facts.ts";
import { specProblem } from "../spec-problem.ts";
import { storedHash } from "./key-hash.ts";
import type { SchedulePlan } from "./slots/plan.ts";

/** Whether there is a key that deliveries can be sent with; no mark where deliveries are not the trigger. */
export function keyMark({ automation, keySecret, source }: AutomationFacts): Mark | undefined {
  const { trigger } = automation.spec;
  if (trigger.type !== "Webhook") return undefined;
  switch (source?.state) {
    case "found":
      return key(
        "True",
        reasons.keyIssued,
        `Deliveries need the key whose hash is in Secret ${sourceName(automation)}`,
      );
    case "missing":
      return key("False", reasons.secretNotFound, `There is no Secret ${sourceName(automation)}`);
    case "invalid":
      return key("False", reasons.keyInvalid, source.message);
    case undefined:
      if (storedHash(keySecret) !== undefined) return key("True", reasons.keyIssued, "Deliveries need the issued key");
      return key("False", reasons.keyNotIssued, `No key was issued yet: ${createCommand(automation)}`);
  }
}

/** Whether the automation can work as its spec says; a key that a person still has to issue is no obstacle. */
export function readyMark(
  { automation, secretsRefusal }: AutomationFacts,
  { keyIssued, schedule, now }: { keyIssued: Mark | undefined; schedule: SchedulePlan; now: Date },
): Mark {
  // A schedule's problem is named by its own reason, and first.
  if (schedule.problem) return ready("False", schedule.problem.reason, schedule.problem.message);
  const problem = specProblem(automation.spec);
  if (problem !== undefined) return ready("False", reasons.invalidSpec, problem);
  const isWaiting = keyIssued?.reason === reasons.keyInvalid || keyIssued?.reason === reasons.secretNotFound;
  if (isWaiting) return ready("False", keyIssued.reason, keyIssued.message);
  if (secretsRefusal) return ready("False", secretsRefusal.reason, secretsRefusal.message);
  return ready("True", reasons.ready, `The automation can be fired${farSlot(schedule, now)}`);
}

/** Somebody who mistyped a date should not have to wait for it to find out. */
const farMs = 31 * 86_400_000;

function farSlot({ times: { nextScheduleTime } }: SchedulePlan, now: Date): string {
  if (nextScheduleTime === undefined || Date.parse(nextScheduleTime) - now.getTime() <= farMs) return "";
  return `; its next slot, ${nextScheduleTime}, is more than 31 days away`;
}

/** What stays so until a person changes something. */
const forPeople: readonly string[] = [
  reasons.invalidSchedule,
  reasons.intervalTooShort,
  reasons.unknownTimeZone,
  reasons.keyInvalid,
  reasons.invalidSpec,
  reasons.invalidSecret,
  reasons.secretsTooLarge,
];

/** Said beside what is not ready and will not be before a person changes something. */
export function stalledMark({ reason, message, status }: Mark): Mark | undefined {
  const isStalled = status === "False" && forPeople.includes(reason);
  return isStalled ? { type: conditionTypes.stalled, status: "True", reason, message } : undefined;
}

function createCommand({ metadata }: Automation): string {
  return `kubectl runwright key create ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function sourceName({ spec }: AutomationFacts["automation"]): string {
  return spec.trigger.webhook?.keyHashSecretRef?.name ?? "";
}

function key(status: Mark["status"], reason: string, message: string): Mark {
  return { type: conditionTypes.keyIssued, status, reason, message };
}

function ready(status: Mark["status"], reason: string, message: string): Mark {
  return { type: conditionTypes.ready, status, reason, message };
}

/** An automation that something refuses to be kept right, and that is tried again. */
export function retryingStatus({ metadata, status }: Automation, message: string, now: Date): AutomationStatus {
  const { generation } = metadata;
  const mark: Mark = {
    type: conditionTypes.reconciling,
    status: "True",
    reason: reasons.progressingWithRetry,
    message,
  };
  return {
    ...status,
    observedGeneration: generation,
    conditions: withMarks(status?.conditions, [mark], { now, generation }),
  };
}
