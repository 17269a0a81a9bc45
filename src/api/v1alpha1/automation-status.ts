import { z } from "zod";
import { Conditions, ObservedGeneration } from "./conditions.ts";
import { setOf, Time } from "./schema.ts";

export const RunReference = z
  .object({
    name: z.string().max(63).describe("name is the Run's name."),
    uid: z.string().max(64).describe("uid is the Run's UID."),
  })
  .describe("RunReference names one Run.");

export const AutomationStatus = z
  .object({
    conditions: Conditions,
    observedGeneration: ObservedGeneration,
    consecutiveFailures: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe(
        "consecutiveFailures counts failed Runs since the last fully completed one; at 3 the automation is paused.",
      ),
    strikes: setOf(z.array(z.string().max(64)).max(64))
      .optional()
      .describe(
        "strikes are UIDs of Runs whose outcome is counted in consecutiveFailures and whose own verdict may not be written yet, so that none is counted twice; at most 64.",
      ),
    active: RunReference.optional().describe("active is the scheduled or manual Run that holds the automation."),
    activeRuns: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("activeRuns counts Runs that have not ended, waiting ones included."),
    lastRun: z
      .object({
        name: z.string().max(63).describe("name is the Run's name."),
        reason: z.string().max(64).describe("reason is what the Run's Succeeded condition last said."),
        time: Time.describe("time is when the Run was accepted."),
      })
      .optional()
      .describe("lastRun is the newest Run."),
    nextScheduleTime: Time.optional().describe(
      "nextScheduleTime is the next slot of a schedule; absent while the automation is paused.",
    ),
    lastScheduleTime: Time.optional().describe(
      "lastScheduleTime is the last slot of a schedule that was fired, skipped Runs included.",
    ),
    resumeHandledAt: z
      .string()
      .max(64)
      .optional()
      .describe(
        "resumeHandledAt is the last value of the annotation runwright.dev/resume-requested-at that was acted on.",
      ),
    idempotencyHorizon: Time.optional().describe("idempotencyHorizon is how far back idempotency keys are known."),
    webhook: z
      .object({
        path: z.string().max(256).describe("path is where deliveries are posted, below the ingress's base URL."),
        keyHint: z
          .string()
          .max(16)
          .optional()
          .describe("keyHint is the beginning of the key's hash, to tell keys apart."),
      })
      .optional()
      .describe("webhook is what senders need to know; the key is never here."),
  })
  .describe("AutomationStatus is what was observed.");
export type AutomationStatus = z.infer<typeof AutomationStatus>;
