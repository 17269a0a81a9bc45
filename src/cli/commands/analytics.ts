import { z } from "zod";

import { shownDuration } from "../../lib/shown-duration.ts";
import { allNamespacesFlag } from "../arguments/common-flags.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { oneOf } from "../arguments/value-types.ts";
import { misuse } from "../cli-error.ts";
import { type CommandIo, defineCommand } from "../command.ts";
import { type GatewayApi, openGatewayApi } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { readGateway } from "../gateway/read-gateway.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";
import { PullRequestFigures, shownPullRequests } from "./pull-request-figures.ts";
import { shownRate } from "./shown-rate.ts";

const Rate = z.number().nullable();

const Summary = z.looseObject({
  totalSessions: z.number(),
  activeUsers: z.number(),
  totalMessages: z.number(),
  totalCostUsd: z.string(),
  avgCostUsd: z.string(),
  statusBreakdown: z.record(z.string(), z.number()),
  completionRate: Rate,
});

const Breakdown = z.looseObject({
  entries: z.array(
    z.looseObject({
      namespace: z.string().nullable(),
      displayName: z.string(),
      sessions: z.number(),
      completed: z.number(),
      failed: z.number(),
      cancelled: z.number(),
      completionRate: Rate,
      costUsd: z.string(),
      avgDurationMs: z.number().nullable(),
    }),
  ),
  hasMore: z.boolean(),
});

const scopes = ["people", "automations", "agents", "all"] as const;

export const analytics = defineCommand({
  name: "analytics",
  summary: "show figures of the sessions, or of the pull requests, of the last days",
  details:
    "The gateway has them from the archive (chart value archive.mode). They count sessions that people started; --scope counts others, and --by automation those of Automations unless --scope says otherwise. RATE is completed by completed, failed and cancelled, or - where nothing has ended. With --pull-requests it shows those that agents' branches became: how many were created in these days and what became of them, how many were merged in them whenever they were created, and how many are open now; they need the right to list pullrequests, too, and --by repository alone groups them.",
  parameters: [],
  flags: {
    ...allNamespacesFlag,
    days: { value: "N", type: oneOf(["7", "14", "30", "90"]), default: "30", about: "7, 14, 30 or 90 times 24 hours" },
    by: {
      value: "GROUP",
      type: oneOf(["user", "repository", "automation"]),
      about: "group by user, repository or automation",
    },
    scope: {
      value: "SCOPE",
      type: oneOf(scopes),
      about: "sessions of people, automations, agents or all (default: people)",
    },
    "pull-requests": { about: "figures of pull requests; of all sources" },
  },
  formats: ["json", "yaml"],
  examples: [
    "analytics -n demo",
    "analytics --days 90 --by repository -n demo",
    "analytics --pull-requests --days 90 -n demo",
    "analytics -A --scope all -o json",
  ],
  async run(invocation) {
    const { days, by, scope = by === "automation" ? "automations" : "people" } = invocation.flags;
    const isOfPullRequests = invocation.flags["pull-requests"];
    if (isOfPullRequests) refuseOthers(invocation.flags);
    const namespace = invocation.flags["all-namespaces"] ? undefined : namespaceOf(invocation);
    const api = await openGatewayApi(invocation, gatewayTarget(invocation, namespace ?? namespaceOf(invocation)));
    const window = { days, ...(namespace !== undefined && { namespace }) };
    if (isOfPullRequests) return readPullRequests(api, window, { by, io: invocation.io });
    const shown = { ...window, scope };
    return by === undefined ? readSummary(api, shown) : readBreakdown(api, { ...shown, by }, invocation.io);
  },
});

/** Pull requests of all sources count, and each is in one Repository. */
function refuseOthers({ by, scope }: { by?: string | undefined; scope?: string | undefined }): void {
  if (scope !== undefined) throw misuse("--pull-requests counts all sources: leave out --scope", "analytics");
  if (by === undefined || by === "repository") return;
  throw misuse(`--by is ${by}, but --pull-requests can only be grouped by repository`, "analytics");
}

interface Window {
  days: string;
  namespace?: string;
}

/** Where something is said beside what is printed. */
type Notes = Pick<CommandIo, "note">;

async function readPullRequests(
  api: GatewayApi,
  window: Window,
  { by, io }: { by: string | undefined; io: Notes },
): Promise<Printable> {
  const path = `/analytics/pull-requests?${new URLSearchParams({ ...window }).toString()}`;
  const found = await readGateway(api, path, { shape: PullRequestFigures, what: "analytics" });
  if (by === undefined) return shownPullRequests(found, by);
  if (found.byRepository.length === 0) io.note(`No pull requests in the last ${window.days} days`);
  if (found.hasMore) io.note(`The ${found.byRepository.length} Repositories with most are shown`);
  return shownPullRequests(found, by);
}

async function readSummary(api: GatewayApi, query: Window & { scope: string }): Promise<Printable> {
  const path = `/analytics/summary?${new URLSearchParams({ ...query }).toString()}`;
  return shownSummary(await readGateway(api, path, { shape: Summary, what: "analytics" }));
}

async function readBreakdown(
  api: GatewayApi,
  query: Window & { scope: string; by: string },
  io: Notes,
): Promise<Printable> {
  const path = `/analytics/breakdown?${new URLSearchParams({ ...query }).toString()}`;
  const breakdown = await readGateway(api, path, { shape: Breakdown, what: "analytics" });
  if (breakdown.entries.length === 0) io.note(`No sessions in the last ${query.days} days`);
  if (breakdown.hasMore) io.note(`The ${breakdown.entries.length} with most sessions are shown`);
  return shownBreakdown(breakdown, query.by);
}

function shownSummary(summary: z.output<typeof Summary>): Printable {
  const { statusBreakdown, totalSessions, activeUsers, totalMessages, totalCostUsd, avgCostUsd } = summary;
  const rows = [
    ["Sessions", String(totalSessions)],
    ...Object.entries(statusBreakdown).map(([status, count]) => [`  ${status}`, String(count)]),
    ["Completion rate", shownRate(summary.completionRate)],
    ["Users", String(activeUsers)],
    ["Prompts", String(totalMessages)],
    ["Cost", `$${totalCostUsd}`],
    ["Cost a session", `$${avgCostUsd}`],
  ];
  return { text: textTable(["FIGURE", "VALUE"], rows), json: summary };
}

function shownBreakdown(breakdown: z.output<typeof Breakdown>, by: string): Printable {
  if (breakdown.entries.length === 0) return { text: "", json: breakdown };
  const rows = breakdown.entries.map((entry) => [
    ...(by === "user" ? [] : [entry.namespace ?? ""]),
    entry.displayName,
    ...[entry.sessions, entry.completed, entry.failed, entry.cancelled].map(String),
    shownRate(entry.completionRate),
    `$${entry.costUsd}`,
    entry.avgDurationMs === null ? "-" : shownDuration(entry.avgDurationMs),
  ]);
  const head = [by.toUpperCase(), "SESSIONS", "COMPLETED", "FAILED", "CANCELLED", "RATE", "COST", "DURATION"];
  return { text: textTable(by === "user" ? head : ["NAMESPACE", ...head], rows), json: breakdown };
}
