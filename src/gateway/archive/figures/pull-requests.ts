import { sql } from "kysely";
import { amountOf } from "../../../domain/costs/amount.ts";
import type { PullRequests } from "../answers.ts";
import { scopes } from "../inputs.ts";
import type { Database } from "../open-archive.ts";
import { type Counted, pullRequestSumsOf } from "./pull-request-sums.ts";
import { sumOf } from "./sums.ts";
import { dateOf, type Selected } from "./window.ts";

/** A number of pull requests that were created, or merged, on one day. */
interface Counts {
  /** Days since 1970, UTC. */
  day: number;
  /** Empty where it is not known. */
  source: string;
  count: number;
}

/** Figures of the selected pull requests. Rejects with the engine's own error. */
export async function pullRequestFigures(
  db: Database,
  { selected, days, limit }: { selected: Selected; days: readonly number[]; limit: number },
): Promise<PullRequests> {
  const created = await createdOf(db, selected);
  const merged = await mergedOf(db, selected);
  const repositories = await repositoriesOf(db, selected, limit + 1);
  const total = (name: "count" | "draft" | "open" | "merged" | "closed" | "costMicro"): number =>
    sumUp(created, (row) => row[name]);
  const funnel = {
    created: total("count"),
    draft: total("draft"),
    open: total("open"),
    merged: total("merged"),
    closed: total("closed"),
  };
  const costMicro = BigInt(total("costMicro"));
  const mergedInWindow = countIn(merged);
  return {
    funnel,
    acceptanceRate: ratioOf(funnel.merged, funnel.merged + funnel.closed),
    costUsd: amountOf(costMicro),
    costPerMergedUsd: funnel.merged === 0 ? null : amountOf(costMicro / BigInt(funnel.merged)),
    mergedInWindow,
    avgTimeToMergeMs:
      mergedInWindow === 0 ? null : Math.round(sumUp(merged, ({ afterMs }) => afterMs) / mergedInWindow),
    openNow: await openNowOf(db, selected.namespace),
    bySource: bySource({ created, merged }),
    byRepository: repositories.slice(0, limit),
    hasMore: repositories.length > limit,
    series: days.map((day) => {
      const isOf = (row: Counts): boolean => row.day === day;
      return { date: dateOf(day), created: countIn(created.filter(isOf)), merged: countIn(merged.filter(isOf)) };
    }),
  };
}

function sumUp<Row>(rows: readonly Row[], valueOf: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + valueOf(row), 0);
}

function countIn(rows: readonly Counts[]): number {
  return sumUp(rows, ({ count }) => count);
}

/** Null where there is nothing to divide by. */
function ratioOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

const day = sql<number>`sums.ms / 86400000`;

/** Pull requests by the day of their creation and who started their sessions. */
function createdOf(db: Database, selected: Selected) {
  const wanted = ["pull_requests", "draft", "open", "merged", "closed", "cost_micro"] as const;
  return db
    .selectFrom(pullRequestSumsOf("created", selected, wanted))
    .select([day.as("day"), "source"])
    .select([sumOf("pull_requests").as("count"), sumOf("cost_micro").as("costMicro")])
    .select((["draft", "open", "merged", "closed"] as const).map((state) => sumOf(state).as(state)))
    .groupBy(["day", "source"])
    .execute();
}

/** Pull requests by the day of their merge and who started their sessions. */
function mergedOf(db: Database, selected: Selected) {
  return db
    .selectFrom(pullRequestSumsOf("merged", selected, ["pull_requests", "merged_after_ms"]))
    .select([day.as("day"), "source"])
    .select([sumOf("pull_requests").as("count"), sumOf("merged_after_ms").as("afterMs")])
    .groupBy(["day", "source"])
    .execute();
}

/** The Repositories with most pull requests. */
function repositoriesOf(db: Database, selected: Selected, most: number): Promise<PullRequests["byRepository"]> {
  const counted = (by: Counted) => {
    const [created, merged] = by === "created" ? [sql`pull_requests`, sql`0`] : [sql`0`, sql`pull_requests`];
    return sql`SELECT namespace, key, ${created} AS created, ${merged} AS merged
      FROM ${pullRequestSumsOf(by, selected, ["pull_requests"])}`;
  };
  return db
    .selectFrom(
      sql<{ namespace: string; key: string }>`(${counted("created")} UNION ALL ${counted("merged")})`.as("counted"),
    )
    .select(["namespace", "key as repository"])
    .select([sumOf("created").as("created"), sumOf("merged").as("merged")])
    .groupBy(["namespace", "key"])
    .having(sql<boolean>`sum(created) + sum(merged) > 0`)
    .orderBy("created", "desc")
    .orderBy("merged", "desc")
    .orderBy("key")
    .orderBy("namespace")
    .limit(most)
    .execute();
}

/** Those whose object is there: what becomes of a pull request afterwards is not known. */
async function openNowOf(db: Database, namespace: string | undefined): Promise<PullRequests["openNow"]> {
  const all = db
    .selectFrom("pull_requests")
    .select(["state", sql<number>`count(*)`.as("count")])
    .where("gone_ms", "is", null)
    .where("state", "in", [sql.lit("draft"), sql.lit("open")])
    .groupBy("state");
  const rows = await (namespace === undefined ? all : all.where("namespace", "=", namespace)).execute();
  const countOf = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0;
  return { draft: countOf("draft"), open: countOf("open") };
}

function bySource({
  created,
  merged,
}: {
  created: readonly Counts[];
  merged: readonly Counts[];
}): PullRequests["bySource"] {
  const of = (source: string) => ({
    created: countIn(created.filter((row) => row.source === source)),
    merged: countIn(merged.filter((row) => row.source === source)),
  });
  const known = Object.entries(scopes).map(([startedBy, source]) => ({
    startedBy: startedBy as keyof typeof scopes,
    ...of(source),
  }));
  const unknown = of("");
  return unknown.created + unknown.merged === 0 ? known : [...known, { startedBy: null, ...unknown }];
}
