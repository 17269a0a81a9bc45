import { z } from "zod";
import { atomicOf, setOf, text } from "./schema.ts";
import { deliveryLimits } from "./webhook.ts";

export const ErrorTracker = z
  .object({
    events: setOf(
      z
        .array(z.enum(["IssueCreated", "IssueRegression", "IssueAlertTriggered", "MetricAlertCritical"]))
        .min(1)
        .max(4),
    ).describe(
      "events are what starts Runs: a new issue, a resolved issue that is back, an alert rule on issues that an error triggered, a metric alert that became critical. At least one.",
    ),
    projects: atomicOf(z.array(text(100).min(1)).max(64))
      .default([])
      .describe(
        "projects are the slugs of the projects whose events start Runs, compared exactly; metric alerts belong to none. At most 64 of 100 characters. Defaults to all events.",
      ),
    levels: atomicOf(z.array(z.enum(["fatal", "error", "warning", "info", "debug", "critical"])).max(6))
      .default([])
      .describe(
        "levels are the levels whose events start Runs; a metric alert has the level critical. Defaults to all events.",
      ),
    ...deliveryLimits,
  })
  .describe("ErrorTracker is the trigger by signed webhooks of an error tracker that signs as Sentry does.");
export type ErrorTracker = z.infer<typeof ErrorTracker>;
