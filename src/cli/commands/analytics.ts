import { z } from "zod";

import { shownDuration } from "../../lib/shown-duration.ts";
import { allNamespacesFlag } from "../arguments/common-flags.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { oneOf } from "../arguments/value-types.ts";
import { defineCommand } from "../command.ts";
import { openGatewayApi } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { readGateway } from "../gateway/read-gateway.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";

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
  summary: "show figures of the sessions of the last days",
  details:
    "The gateway has them from the archive (chart value archive.mode). They count sessions that people started; --scope counts others, and --by automation those of Automations unless --scope says otherwise. RATE is completed by completed, failed and cancelled, or - where nothing has ended.",
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
  },
  formats: ["json", "yaml"],
  examples: ["analytics -n demo", "analytics --days 90 --by repository -n demo", "analytics -A --scope all -o json"],
  async run(invocation) {
    const { days, by, scope = by === "automation" ? "automations" : "people" } = invocation.flags;
    const namespace = invocation.flags["all-namespaces"] ? undefined : namespaceOf(invocation);
    const api = await openGatewayApi(invocation, gatewayTarget(invocation, namespace ?? namespaceOf(invocation)));
    const query = new URLSearchParams({ days, scope, ...(namespace !== undefined && { namespace }) });
    if (by === undefined) {
      const path = `/analytics/summary?${query.toString()}`;
      return shownSummary(await readGateway(api, path, { shape: Summary, what: "analytics" }));
    }
    query.set("by", by);
    const path = `/analytics/breakdown?${query.toString()}`;
    const breakdown = await readGateway(api, path, { shape: Breakdown, what: "analytics" });
    if (breakdown.entries.length === 0) invocation.io.note(`No sessions in the last ${days} days`);
    if (breakdown.hasMore) invocation.io.note(`The ${breakdown.entries.length} with most sessions are shown`);
    return shownBreakdown(breakdown, by);
  },
});

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

/** A dash where nothing has ended. */
function shownRate(rate: number | null): string {
  return rate === null ? "-" : `${Math.round(rate * 1_000) / 10} %`;
}
