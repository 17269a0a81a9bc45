import { sql } from "kysely";
import { amountOf } from "../../../domain/costs/amount.ts";
import type { Series } from "../answers.ts";
import type { Grouping } from "../inputs.ts";
import type { Database } from "../open-archive.ts";
import { largestGroups, placeOf } from "./groups.ts";
import { sessionSumsOf } from "./session-sums.ts";
import { sumOf } from "./sums.ts";
import { dateOf, type Selected } from "./window.ts";

/** Groups that are shown apart. */
const mostGroups = 20;
const day = sql<number>`sums.ms / 86400000`;

/** Sessions of each of these days, by group. Rejects with the engine's own error. */
export async function seriesOf(
  db: Database,
  by: Grouping,
  { selected, days }: { selected: Selected; days: readonly number[] },
): Promise<Series> {
  const groups = await largestGroups(db, by, { selected, most: mostGroups });
  const totals = await db
    .selectFrom(sessionSumsOf(by, selected, ["sessions", "cost_micro"]))
    .select(day.as("day"))
    .select([sumOf("sessions").as("sessions"), sumOf("cost_micro").as("costMicro")])
    .groupBy("day")
    .execute();
  const ofGroups = await db
    .selectFrom(sessionSumsOf(by, selected, ["sessions"]))
    .select([day.as("day"), placeOf(by).as("place"), "key"])
    .select(sumOf("sessions").as("sessions"))
    .where("key", "in", ["", ...groups.map(({ key }) => key ?? "")])
    .groupBy(["day", "place", "key"])
    .execute();
  const totalOf = new Map(totals.map((total) => [total.day, total]));
  const countOf = new Map(ofGroups.map((row) => [textOf(row.day, row.place, row.key), row.sessions]));
  return {
    by,
    groups: groups.map(({ key, namespace, displayName, sessions }) => ({ key, namespace, displayName, sessions })),
    series: days.map((of) => {
      const { sessions = 0, costMicro = 0 } = totalOf.get(of) ?? {};
      const counts = groups.map(({ key, namespace }) => countOf.get(textOf(of, namespace ?? "", key ?? "")) ?? 0);
      const others = sessions - counts.reduce((sum, count) => sum + count, 0);
      return { date: dateOf(of), sessions, costUsd: amountOf(BigInt(costMicro)), groups: counts, others };
    }),
  };
}

/** Separated by what no name has. */
function textOf(day: number, place: string, key: string): string {
  return [day, place, key].join("\n");
}
