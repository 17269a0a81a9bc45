import { z } from "zod";
import { cursor, instant, limit, namespace } from "../http/inputs.ts";

/** Days of a window, as they are written in queries. */
const windows = ["7", "14", "30", "90"] as const;
/** Whose sessions count, beside `all`. */
export const scopes = { people: "person", automations: "automation", agents: "agent" } as const;
/** What figures may be grouped by. */
export const groupings = ["user", "repository", "automation"] as const;
export type Grouping = (typeof groupings)[number];

/** Which sessions count. */
const window = {
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
};

/** Figures of pull requests have no scope: they count those of sessions that people, automations and agents started. */
export const PullRequestsQuery = z.object({
  namespace: namespace("pullrequests"),
  days: window.days.meta({
    description: "Pull requests that were created, or merged, in so many times 24 hours until now; 30 by default.",
    override: { type: "string", enum: [...windows], default: "30" },
  }),
  limit: limit(100),
});

const by = z
  .enum(groupings)
  .default("user")
  .describe("Group by who sent a session its first prompt, by its primary Repository or by the Automation of its Run.");

export const SummaryQuery = z.object(window);
export const SeriesQuery = z.object({ ...window, by });
export const BreakdownQuery = z.object({ ...window, by, limit: limit(100) });

const uid = "[0-9a-zA-Z-]{1,64}";
export const ArchivedRunQuery = z.object({
  namespace: namespace("runs"),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${uid}`),
});
export const ArchivedSessionQuery = z.object({
  namespace: namespace("sessions"),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${uid}`),
});
