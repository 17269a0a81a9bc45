import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { breakDown } from "../../src/gateway/archive/figures/breakdown.ts";
import { pullRequestFigures } from "../../src/gateway/archive/figures/pull-requests.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import { seriesOf } from "../../src/gateway/archive/figures/timeseries.ts";
import { daysTouched } from "../../src/gateway/archive/figures/window.ts";
import { archivedRuns } from "../../src/gateway/archive/lists/archived-runs.ts";
import { archivedSessions } from "../../src/gateway/archive/lists/archived-sessions.ts";
import { RunHistory } from "../../src/gateway/archive/lists/run-history.ts";
import { archiveReads } from "../../src/gateway/archive/read-archive.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { deleteOldest, oldestOf } from "../../src/gateway/archive/delete-rows.ts";
import { isPostgresql } from "../../src/gateway/archive/schema/engine.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aPullRequestRow, aRunRow, aSessionRow, nowMs } from "./archive-rows.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Of each table, half an hour apart: 125 days. */
const rowCount = 6_000;
const limit = 10;
/**
 * Rows of Runs, Sessions and pull requests: of a page, or of the edges of a window. A small month, where an index would cost more,
 * is read whole, once for each of the two edges.
 */
const mostRows = 500;

/** That no query looks at rows that it does not need; `open` gives an empty archive. */
export function itLooksAtLittle(open: () => Promise<Database>): void {
  let db: Database;
  const nodes: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => (nodes.push(node), node),
    transformResult: ({ result }) => Promise.resolve(result),
  };

  beforeAll(async () => {
    db = await open();
    const store = new ArchiveStore(db, new FakeClock());
    const term = await store.begin();
    const at = (index: number) => {
      const created_ms = nowMs - index * 30 * minuteMs;
      return { created_ms, namespace: `team-${index % 2}`, automation_uid: `a-${index % 2}` };
    };
    const made = Array.from({ length: rowCount }, (_, index) => ({
      run: aRunRow(`r${index}`, {
        ...at(index),
        accepted_ms: at(index).created_ms,
        ended_ms: at(index).created_ms,
        gone_ms: nowMs,
      }),
      pullRequest: aPullRequestRow(`p${index}`, {
        created_ms: at(index).created_ms,
        namespace: at(index).namespace,
        repository: `repository-${index % 4}`,
        // Ten are open, and their objects are there.
        ...(index % 600 === 0
          ? {}
          : { state: "merged", merged_ms: at(index).created_ms + 20 * minuteMs, gone_ms: nowMs }),
      }),
      session: aSessionRow(`s${index}`, {
        ...at(index),
        run_uid: `r${index}`,
        requested_by: `user-${index % 4}`,
        gone_ms: nowMs,
      }),
    }));
    for (let from = 0; from < rowCount; from += 1_000) {
      const part = made.slice(from, from + 1_000);
      await store.write(term, {
        runs: part.map(({ run }) => run),
        sessions: part.map(({ session }) => session),
        pullRequests: part.map(({ pullRequest }) => pullRequest),
      });
    }
    await sql.raw(isPostgresql(db) ? "VACUUM ANALYZE" : "ANALYZE").execute(db);
  });
  afterAll(() => db.destroy());

  const middleMs = nowMs - 60 * dayMs;
  const window = { fromMs: nowMs - 90 * dayMs + 17 * minuteMs, untilMs: nowMs - 17 * minuteMs };
  const days = daysTouched(90, nowMs);
  const page = { limit, cursor: `${middleMs}.r1`, beginMs: 0 };
  const history = (db: Database) =>
    new RunHistory({
      database: db,
      clock: new FakeClock(),
      reads: archiveReads(() => undefined),
      logger: { error: () => expect.unreachable() },
    });
  const queries: [string, (db: Database) => Promise<unknown>][] = [
    ["a summary", (of) => summarize(of, window)],
    ["a summary of a namespace", (of) => summarize(of, { ...window, namespace: "team-1", source: "person" })],
    ["a series by user", (of) => seriesOf(of, "user", { selected: window, days })],
    ["a series by automation", (of) => seriesOf(of, "automation", { selected: window, days })],
    ["a breakdown by repository", (of) => breakDown(of, "repository", { selected: window, limit })],
    ["a breakdown by automation", (of) => breakDown(of, "automation", { selected: window, limit })],
    ["figures of pull requests", (of) => pullRequestFigures(of, { selected: window, days, limit })],
    [
      "figures of a namespace's pull requests",
      (of) => pullRequestFigures(of, { selected: { ...window, namespace: "team-1" }, days, limit }),
    ],
    ["the first page of Runs", (of) => archivedRuns(of, { limit, beginMs: 0 })],
    ["a page of Runs", (of) => archivedRuns(of, page)],
    ["a page of a namespace's Runs", (of) => archivedRuns(of, { ...page, namespace: "team-1" })],
    ["a page of Sessions", (of) => archivedSessions(of, page)],
    ["a page of a namespace's Sessions", (of) => archivedSessions(of, { ...page, namespace: "team-1" })],
    [
      "a page of an Automation's firings",
      (of) =>
        history(of).after(
          { namespace: "team-1", uid: "a-1", beginMs: 0 },
          { cursor: `${middleMs}.${middleMs}.r`, limit, isLive: () => false },
        ),
    ],
    ["rows without an object", (of) => of.selectFrom("runs").select("uid").where("gone_ms", "is", null).execute()],
    [
      "pull requests without an object",
      (of) => of.selectFrom("pull_requests").select("uid").where("gone_ms", "is", null).execute(),
    ],
    ["rows that are too old", (of) => deleteOldest(of, "runs", { createdBeforeMs: nowMs - 120 * dayMs, most: limit })],
    ["the oldest rows of a namespace", (of) => oldestOf(of, "sessions", { namespace: "team-1", most: limit })],
  ];

  it.each(queries)("for %s", async (_, ask) => {
    nodes.length = 0;
    await ask(db.withPlugin(recorder));
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of [...nodes]) {
      const { sql: text, parameters } = db.getExecutor().compileQuery(node, { queryId: "plan" });
      await (isPostgresql(db) ? expectFewRows(text, parameters) : expectSearches(text, parameters));
    }
  });

  /** Of an embedded archive the plan tells; no page is sorted. */
  async function expectSearches(text: string, parameters: readonly unknown[]): Promise<void> {
    const plan = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${text}`, [...parameters]),
    );
    const lines = plan.rows.map(({ detail }) => detail);
    expect(
      lines.filter((line) =>
        /^SCAN (runs|sessions|session_sums|pull_requests|pull_request_sums|copies)\b(?! USING (COVERING )?INDEX (runs|pull_requests)_there)/.test(
          line,
        ),
      ),
    ).toEqual([]);
    if (text.includes('order by "created_ms"')) expect(lines.join()).not.toContain("ORDER BY");
  }

  /** PostgreSQL tells how many rows it has looked at. */
  async function expectFewRows(text: string, parameters: readonly unknown[]): Promise<void> {
    const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      CompiledQuery.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...parameters]),
    );
    const [plan] = rows[0]?.["QUERY PLAN"] ?? [];
    const scans = plan ? scansIn(plan.Plan) : [];
    expect(scans.length, JSON.stringify([text, rows], null, 1)).toBeGreaterThan(0);
    const seen = scans
      .filter((scan) => !/^(session|pull_request)_sums/.test(scan["Relation Name"] ?? ""))
      .map(rowsSeen);
    const shown = [text, ...scans.map(inWords)].join("\n");
    expect(
      seen.reduce((sum, count) => sum + count, 0),
      shown,
    ).toBeLessThanOrEqual(mostRows);
  }
}

interface PlanNode {
  "Node Type": string;
  "Index Name"?: string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

function scansIn(node: PlanNode): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansIn);
  return node["Relation Name"] === undefined ? below : [node, ...below];
}

function inWords(scan: PlanNode): string {
  return [scan["Node Type"], scan["Relation Name"], scan["Index Name"], rowsSeen(scan)].join(" ");
}

function rowsSeen(scan: PlanNode): number {
  return (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"];
}
