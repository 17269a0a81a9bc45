import { type Automation, type AutomationStatus, conditionTypes, reasons } from "../../api/v1alpha1/index.ts";
import { type Mark, withMarks } from "../../domain/conditions.ts";
import { authenticationOf } from "../../domain/deliveries/authentication.ts";
import type { SignatureScheme } from "../../domain/deliveries/signature-scheme.ts";
import { signingSecretProblem } from "../../domain/deliveries/signing-secret-problem.ts";
import { storedSigningSecrets } from "../../domain/deliveries/signing-secrets.ts";
import { storedKeyHash } from "../../domain/keys.ts";
import type { Secret } from "../../kube/core-resources.ts";
import { integrationProblem } from "./decide/integration.ts";
import type { AutomationFacts, SourceKey } from "./facts.ts";
import { specProblem } from "../spec-problem.ts";
import { keySourceOf } from "./resources.ts";
import type { SlotDecision } from "./slots/decide.ts";

/** Whether there is a key for deliveries; undefined for triggers without deliveries. */
export function keyMark(facts: AutomationFacts): Mark | undefined {
  const { automation, keySecret, source } = facts;
  const { trigger } = automation.spec;
  if (trigger.type === "ErrorTracker") return signingMark(keySecret, `key set ${nameOf(automation)} -f -`);
  if (trigger.type !== "Webhook") return undefined;
  const authentication = authenticationOf(trigger.webhook?.authentication);
  if (source) return sourceMark(automation, source, authentication.type === "HMAC");
  if (authentication.type === "HMAC") {
    return signingMark(keySecret, `key create ${nameOf(automation)}`, authentication.scheme);
  }
  if (storedKeyHash(keySecret)) return key("True", reasons.keyIssued, "Deliveries need the issued key");
  const command = `kubectl runwright key create ${nameOf(automation)}`;
  return key("False", reasons.keyNotIssued, `No key was issued yet: ${command}`);
}

/** Of a key or signing secret that comes from a Secret which the automation names. */
function sourceMark(automation: Automation, source: SourceKey, isSigned: boolean): Mark {
  const name = keySourceOf(automation)?.name ?? "";
  switch (source.state) {
    case "found":
      if (isSigned)
        return key("True", reasons.keyIssued, `Deliveries must be signed with the secret in Secret ${name}`);
      return key("True", reasons.keyIssued, `Deliveries need the key whose hash is in Secret ${name}`);
    case "missing":
      return key("False", reasons.secretNotFound, `There is no Secret ${name}`);
    case "invalid":
      return key("False", reasons.keyInvalid, source.message);
  }
}

/** `scheme`: for which a secret must be of use; none for error trackers. */
function signingMark(keySecret: Secret | undefined, command: string, scheme?: SignatureScheme): Mark {
  const stored = storedSigningSecrets(keySecret);
  if (stored.length === 0) {
    return key("False", reasons.keyNotIssued, `No signing secret was set yet: kubectl runwright ${command}`);
  }
  const isUsable = scheme === undefined || stored.some((one) => signingSecretProblem(one, scheme) === undefined);
  if (isUsable) return key("True", reasons.keyIssued, "Deliveries must be signed with the stored secret");
  const message = `The stored secret cannot sign in the way that authentication asks for: kubectl runwright ${command.replace("create", "regenerate")}`;
  return key("False", reasons.keyNotIssued, message);
}

/** Whether the automation can work as its spec says; a key that a person still has to issue is no obstacle. */
export function readyMark(
  { automation, secretsRefusal, integration }: Pick<AutomationFacts, "automation" | "secretsRefusal" | "integration">,
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
  const unfired = integrationProblem(automation, integration);
  if (unfired) return ready("False", unfired.reason, unfired.message);
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

function nameOf({ metadata }: Automation): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
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
