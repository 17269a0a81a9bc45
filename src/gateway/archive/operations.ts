import type { NeededAccess } from "../http/access.ts";
import type { Operation } from "../http/router.ts";
import { ArchivedRunPage, ArchivedSessionPage, Breakdown, PullRequests, Series, Summary } from "./answers.ts";
import {
  ArchivedRunQuery,
  ArchivedSessionQuery,
  BreakdownQuery,
  PullRequestsQuery,
  SeriesQuery,
  SummaryQuery,
} from "./inputs.ts";

const listSessions = "list sessions, in the namespace or in all";
const listed = (resource: "runs" | "sessions" | "pullrequests"): NeededAccess => ({
  verb: "list",
  resource,
  to: "query",
});
const figures = "The figures, at most 10 seconds old.";

export const archiveOperations = {
  analyticsSummary: {
    method: "get",
    path: "/analytics/summary",
    summary: "Figures of the sessions of the last days, from the archive",
    permission: listSessions,
    access: [listed("sessions")],
    query: SummaryQuery,
    success: { 200: { description: figures, body: Summary } },
    errors: ["NotFound"],
  },
  analyticsTimeseries: {
    method: "get",
    path: "/analytics/timeseries",
    summary: "Sessions of the last days by day and group, from the archive",
    permission: listSessions,
    access: [listed("sessions")],
    query: SeriesQuery,
    success: { 200: { description: figures, body: Series } },
    errors: ["NotFound"],
  },
  analyticsBreakdown: {
    method: "get",
    path: "/analytics/breakdown",
    summary: "Figures of the sessions of the last days by group, from the archive",
    permission: listSessions,
    access: [listed("sessions")],
    query: BreakdownQuery,
    success: { 200: { description: figures, body: Breakdown } },
    errors: ["NotFound"],
  },
  analyticsPullRequests: {
    method: "get",
    path: "/analytics/pull-requests",
    summary: "Figures of the pull requests of the last days, from the archive",
    permission: "list pullrequests and sessions, in the namespace or in all",
    access: [listed("sessions"), listed("pullrequests")],
    query: PullRequestsQuery,
    success: { 200: { description: figures, body: PullRequests } },
    errors: ["NotFound"],
  },
  listArchivedRuns: {
    method: "get",
    path: "/archive/runs",
    summary: "Firings of all automations, newest first, also those that the cluster has no more",
    permission: "list runs, in the namespace or in all",
    access: [listed("runs")],
    query: ArchivedRunQuery,
    success: { 200: { description: "A page, a few seconds old.", body: ArchivedRunPage } },
    errors: ["NotFound"],
  },
  listArchivedSessions: {
    method: "get",
    path: "/archive/sessions",
    summary: "Sessions, newest first, also those that the cluster has no more",
    permission: listSessions,
    access: [listed("sessions")],
    query: ArchivedSessionQuery,
    success: { 200: { description: "A page, a few seconds old.", body: ArchivedSessionPage } },
    errors: ["NotFound"],
  },
} as const satisfies Record<string, Operation>;
