import { z } from "zod";
import { observed } from "./conditions.ts";
import { integer, setOf, text, Time } from "./schema.ts";

export const RunReference = z
  .object({
    name: text(63).describe("name is what kubectl get run shows it under."),
    uid: text(64).describe("uid tells the Run from a later one of the same name."),
  })
  .describe("RunReference names one Run.");

export const AutomationStatus = z
  .object({
    ...observed,
    consecutiveFailures: integer(0, 1_000_000)
      .optional()
      .describe(
        "consecutiveFailures counts failed Runs since the last fully completed one; at 3 the automation is paused.",
      ),
    strikes: setOf(z.array(text(64)).max(64))
      .optional()
      .describe(
        "strikes are the UIDs of Runs whose outcome is already part of consecutiveFailures although their own Succeeded condition may not be written yet, so that none is counted twice; at most 64.",
      ),
    active: RunReference.optional().describe("active is the scheduled or manual Run that holds the automation."),
    activeRuns: integer(0, 1_000_000)
      .optional()
      .describe("activeRuns is the number of unfinished Runs, waiting ones included."),
    lastRun: z
      .object({
        name: text(63).describe("name is what kubectl get run shows it under."),
        reason: text(64).describe("reason is the reason of the Run's Succeeded condition."),
        time: Time.describe("time is when the Run was accepted."),
      })
      .optional()
      .describe("lastRun is the Run that was accepted last, whatever became of it."),
    nextScheduleTime: Time.optional().describe(
      "nextScheduleTime is the next slot of a schedule; absent while the automation is paused.",
    ),
    lastScheduleTime: Time.optional().describe(
      "lastScheduleTime is the last slot of a schedule for which a Run was created, skipped Runs included.",
    ),
    resumeHandledAt: text(64)
      .optional()
      .describe(
        "resumeHandledAt is the last value of the annotation runwright.dev/resume-requested-at that the controller has handled.",
      ),
    idempotencyHorizon: Time.optional().describe(
      "idempotencyHorizon is the time since which idempotency keys are remembered.",
    ),
    webhook: z
      .object({
        path: text(256).describe("path is where deliveries are posted, below the ingress's base URL."),
        url: text(2_048).optional().describe("url is where senders post deliveries: the release's base URL and path."),
        keyHint: text(16)
          .optional()
          .describe("keyHint is the beginning of the key's hash, to distinguish keys; a signing secret has none."),
      })
      .optional()
      .describe("webhook is what senders of deliveries need, without key or signing secret."),
  })
  .describe("AutomationStatus is what was observed.");
export type AutomationStatus = z.infer<typeof AutomationStatus>;
