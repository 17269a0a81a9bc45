import { z } from "zod";
import { Count } from "../http/answers.ts";
import { namespace } from "../http/inputs.ts";
import type { Operation } from "../http/router.ts";

/** Days of a window, as they are written in queries. */
const windows = ["7", "14", "30", "90"] as const;
/** Whose sessions count, beside `all`. */
export const scopes = { people: "person", automations: "automation", agents: "agent" } as const;

export const SummaryQuery = z.object({
  namespace: namespace("sessions"),
  days: z
    .enum(windows)
    .default("30")
    .transform(Number)
    .meta({
      description: "Sessions that were created in so many times 24 hours until now; 30 by default.",
      override: { type: "string", enum: [...windows], default: "30" },
    }),
  scope: z
    .enum([...Object.keys(scopes), "all"] as ["people", "automations", "agents", "all"])
    .default("people")
    .describe("Sessions that people, automations or agents started, or all."),
});
export type SummaryQuery = z.output<typeof SummaryQuery>;

const Amount = z.string().describe("US dollars as decimal text, such as 2.5.");

const Summary = z
  .object({
    totalSessions: Count,
    activeUsers: Count.describe(
      "Different people who sent a session its first prompt, as far as the gateway knows them.",
    ),
    totalMessages: Count.describe("Prompts that wait or have ended."),
    totalCostUsd: Amount,
    avgCostUsd: Amount.describe("A session's, rounded down to a millionth; 0 without sessions."),
    statusBreakdown: z
      .object({ created: Count, active: Count, completed: Count, failed: Count, cancelled: Count, archived: Count })
      .describe(
        "Each session once: archived when its object is gone, else active, else the outcome of its last prompt.",
      ),
    outcomes: z
      .object({ completed: Count, failed: Count, cancelled: Count })
      .describe("Outcomes of last prompts, also of sessions that are active again or gone."),
    completionRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("Completed by completed, failed and cancelled; null where nothing has ended."),
  })
  .meta({ id: "AnalyticsSummary" });
export type Summary = z.output<typeof Summary>;

export const archiveOperations = {
  analyticsSummary: {
    method: "get",
    path: "/analytics/summary",
    summary: "Figures of the sessions of the last days, from the archive",
    permission: "list sessions, in the namespace or in all",
    query: SummaryQuery,
    success: { 200: { description: "The figures as of now.", body: Summary } },
    errors: ["NotFound"],
  },
} as const satisfies Record<string, Operation>;
