import { sql } from "kysely";
import type { Grouping } from "../inputs.ts";
import type { Database } from "../open-archive.ts";
import type { SessionSums } from "../schema/tables.ts";
import { sessionSumsOf, sumColumns } from "./session-sums.ts";
import { sumOf } from "./sums.ts";
import type { Selected } from "./window.ts";

export interface Group extends SessionSums {
  key: string | null;
  namespace: string | null;
  displayName: string;
}

const unnamed: Record<Grouping, string> = {
  user: "Unknown user",
  repository: "No repository",
  automation: "No automation",
};

/** The groups with most sessions, at most `most`; of those with as many sessions by name. */
export async function largestGroups(
  db: Database,
  by: Grouping,
  { selected, most }: { selected: Selected; most: number },
): Promise<Group[]> {
  const rows = await db
    .selectFrom(sessionSumsOf(by, selected, sumColumns))
    .select([placeOf(by).as("place"), "key"])
    .select(({ fn }) => sumColumns.map((name) => (name === "last_ms" ? fn.max(name) : sumOf(name)).as(name)))
    .groupBy(["place", "key"])
    .having(({ fn }) => fn.sum("sessions"), ">", 0)
    .orderBy("sessions", "desc")
    .orderBy("place")
    .orderBy("key")
    .limit(most)
    .execute();
  const names = by === "automation" ? await automationNames(db, rows) : new Map<string, string>();
  return rows
    .map(({ place, key, ...sums }) => ({
      ...sums,
      key: key === "" ? null : key,
      namespace: place === "" ? null : place,
      displayName: key === "" ? unnamed[by] : (names.get(textOf({ place, key })) ?? key),
    }))
    .sort((one, other) => other.sessions - one.sessions || (one.displayName < other.displayName ? -1 : 1));
}

interface Place {
  place: string;
  key: string;
}

/** The names of Automations, as Runs of their own namespace say them. */
async function automationNames(db: Database, groups: readonly Place[]): Promise<Map<string, string>> {
  const found = await Promise.all(
    groups.map(({ place, key }) =>
      db
        .selectFrom("runs")
        .select(["namespace", "automation_uid", "automation"])
        .where("automation_uid", "=", key)
        .where("namespace", "=", place)
        .limit(1)
        .execute(),
    ),
  );
  return new Map(
    found
      .flat()
      .map(({ namespace, automation_uid, automation }) => [
        textOf({ place: namespace, key: automation_uid ?? "" }),
        automation,
      ]),
  );
}

function textOf({ place, key }: Place): string {
  return `${place}/${key}`;
}

/** Names of Repositories and Automations are of their namespace; users are of none. */
export function placeOf(by: Grouping) {
  return by === "user" ? sql<string>`''` : sql<string>`sums.namespace`;
}
