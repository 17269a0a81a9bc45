import { sql } from "kysely";
import { breakDown } from "../../src/gateway/archive/figures/breakdown.ts";
import { pullRequestFigures } from "../../src/gateway/archive/figures/pull-requests.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import { seriesOf } from "../../src/gateway/archive/figures/timeseries.ts";
import { daysTouched, selectedBy } from "../../src/gateway/archive/figures/window.ts";
import { archivedRuns } from "../../src/gateway/archive/lists/archived-runs.ts";
import { archivedSessions } from "../../src/gateway/archive/lists/archived-sessions.ts";
import { RunHistory } from "../../src/gateway/archive/lists/run-history.ts";
import { archiveReads } from "../../src/gateway/archive/read-archive.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { madeAt } from "./rows.ts";

/** A query as a page asks it at an instant. */
export type Query = (at: { nowMs: number }) => Promise<unknown>;

/** Every query of the page and of the lists, of all namespaces, which is the most that there is. */
export function queriesOf(db: Database, runs: number, nowMs: number): Record<string, Query> {
  const window = (days: number, at: number, scope: "people" | "all" = "all") => selectedBy({ days, scope }, 0, at);
  const history = new RunHistory({
    database: db,
    clock: systemClock,
    reads: archiveReads(() => undefined),
    logger: console,
  });
  // The middle of what there is: a page that is reached after very many.
  const deep = madeAt(Math.floor(runs / 2), runs, nowMs).run;
  const cursor = `${deep.created_ms}.${deep.uid}`;
  const firing = `${deep.created_ms}.${deep.accepted_ms}.${deep.name}`;
  const groupings = ["user", "repository", "automation"] as const;
  return {
    "summary, 30 days": ({ nowMs: at }) => summarize(db, window(30, at)),
    "summary, 90 days": ({ nowMs: at }) => summarize(db, window(90, at)),
    "summary, 90 days, one namespace": ({ nowMs: at }) => summarize(db, { ...window(90, at), namespace: "team-0" }),
    ...Object.fromEntries(
      groupings.flatMap((by): [string, Query][] => [
        [
          `series by ${by}, 90 days`,
          ({ nowMs: at }) => seriesOf(db, by, { selected: window(90, at), days: daysTouched(90, at) }),
        ],
        [`breakdown by ${by}, 90 days`, ({ nowMs: at }) => breakDown(db, by, { selected: window(90, at), limit: 100 })],
      ]),
    ),
    "pull requests, 90 days": ({ nowMs: at }) =>
      pullRequestFigures(db, { selected: window(90, at), days: daysTouched(90, at), limit: 100 }),
    "100 Runs, newest": () => archivedRuns(db, { limit: 100, beginMs: 0 }),
    "100 Runs, from the middle": () => archivedRuns(db, { limit: 100, cursor, beginMs: 0 }),
    "100 Runs of a namespace, from the middle": () =>
      archivedRuns(db, { namespace: deep.namespace, limit: 100, cursor, beginMs: 0 }),
    "100 Sessions, from the middle": () => archivedSessions(db, { limit: 100, cursor, beginMs: 0 }),
    "100 firings of an Automation, from the middle": () =>
      history.after(
        { namespace: deep.namespace, uid: deep.automation_uid ?? "", beginMs: 0 },
        { cursor: firing, limit: 100, isLive: () => false },
      ),
  };
}

/** What the same figures take without sums: plain SQL over the rows. */
export function baselinesOf(db: Database): Record<string, Query> {
  const dayMs = 86_400_000;
  const figures = sql`count(*) AS sessions, sum(cost_micro) AS cost, sum(messages) AS messages,
    sum(CASE WHEN outcome = 'completed' THEN 1 ELSE 0 END) AS completed`;
  const since = (days: number, at: number) => sql`created_ms >= ${at - days * dayMs} AND created_ms < ${at}`;
  return {
    "summary, 90 days": ({ nowMs: at }) =>
      sql`SELECT ${figures}, count(DISTINCT requested_by) AS users FROM sessions WHERE ${since(90, at)}`.execute(db),
    "series by user, 90 days": ({ nowMs: at }) =>
      sql`SELECT created_ms / ${sql.lit(dayMs)} AS day, requested_by, ${figures} FROM sessions
        WHERE ${since(90, at)} GROUP BY 1, 2`.execute(db),
    "breakdown by automation, 90 days": ({ nowMs: at }) =>
      sql`SELECT automation_uid, ${figures} FROM sessions WHERE ${since(90, at)}
        GROUP BY 1 ORDER BY 2 DESC LIMIT 100`.execute(db),
    "100 Runs, from the middle": ({ nowMs: at }) =>
      sql`SELECT * FROM runs WHERE created_ms < ${at} ORDER BY created_ms DESC LIMIT 100 OFFSET 500000`.execute(db),
  };
}
