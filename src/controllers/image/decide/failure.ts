import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { BootFailure } from "../../../api/runtime/bundle.ts";
import type { ClockLimits } from "../../../domain/clocks/limits.ts";
import { type AttemptTerms, endOf } from "../../sandbox/decide.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { ImageFacts } from "../facts.ts";
import { isBundleDue } from "./bundle.ts";
import { buildDeadlines, finalizationSeconds } from "./clocks.ts";
import type { Building } from "./ending.ts";
import { storingNote } from "./reports.ts";

/** Why a build has failed, if it has; what was reported counts before clocks. */
export function failureOf(facts: ImageFacts, status: Building, now: Date, limits: ClockLimits): AttemptEnd | undefined {
  const { lease, obstacle } = facts;
  if (obstacle?.kind === "refused" && isBundleDue(facts)) return obstacle.refusal;
  if (lease?.bootFailure) return reportedFailure(lease.bootFailure);
  if (lease?.isReady) {
    return { reason: reasons.runtimeOutdated, message: "the runtime started an agent instead of building an image" };
  }
  const asAttempt = { ...facts, start: undefined, ready: undefined, obstacle: undefined };
  return endOf(asAttempt, status.sandbox, termsOf(facts, status, limits), now) ?? notStored(facts, status);
}

/** Of the phases of boot that a build fails in. */
const phaseReasons: Partial<Record<BootFailure["phase"], Reason>> = { clone: reasons.cloneFailed };

function reportedFailure({ phase, reason, message }: BootFailure): AttemptEnd {
  if (reason === reasons.buildTimeout || reason === reasons.policyMismatch) return { reason, message };
  return { reason: phaseReasons[phase] ?? reasons.setupFailed, message };
}

function termsOf(facts: ImageFacts, { sandbox, build }: Building, limits: ClockLimits): AttemptTerms {
  const { bootTimeoutMs } = limits;
  const { timeoutSeconds } = build;
  const connected = facts.lease !== undefined;
  const { connectHeldUntilMs } = facts;
  return {
    limits,
    lifetimeMs: undefined,
    deadlines: buildDeadlines({ record: sandbox, build, connected, connectHeldUntilMs, bootTimeoutMs }),
    clockMessages: {
      [reasons.buildTimeout]: `clone and setup.sh did not end within ${timeoutSeconds} s`,
      [reasons.finalizationTimeout]: `the image was not stored within ${timeoutSeconds + finalizationSeconds} s of the container's start`,
      [reasons.bootTimeout]: `the container did not start within ${bootTimeoutMs} ms of the pod's creation${waitedFor(facts, sandbox)}`,
    },
    savedFor: undefined,
    isRescued: false,
    unwanted: undefined,
  };
}

function waitedFor({ pods }: ImageFacts, { attempt }: Building["sandbox"]): string {
  const { waiting } = pods.find((pod) => pod.attempt === attempt) ?? {};
  return waiting ? `; the pod waited: ${waiting.message}` : "";
}

function notStored(facts: ImageFacts, status: Building): AttemptEnd | undefined {
  const note = storingNote(facts, status);
  if (!note || note.goesOn || note.bytes !== undefined) return undefined;
  const problem = note.problem ?? "no reason is known";
  return { reason: reasons.imageNotStored, message: `the image was not stored: ${problem}` };
}
