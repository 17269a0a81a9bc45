import { sql } from "kysely";
import type { PullRequestSums } from "../schema/tables.ts";
import { oneWhere, type Summed, sumsOf } from "./sums.ts";
import type { Selected } from "./window.ts";

/** By which instant pull requests count. */
export type Counted = "created" | "merged";

const repository = sql<string>`repository`;

/** Pull requests that were opened at their provider, by their creation and those that were merged by that, too. */
export const pullRequestSums: Summed<PullRequestSums> = {
  rows: "pull_requests",
  sums: "pull_request_sums",
  way: "counted_by",
  ways: {
    created: { at: "created_ms", key: repository, where: sql`state IS NOT NULL` },
    merged: { at: "merged_ms", key: repository, where: sql`merged_ms IS NOT NULL` },
  } satisfies Record<Counted, Summed<PullRequestSums>["ways"][string]>,
  needed: ["created_ms", "merged_ms", "repository", "state"],
  added: {
    pull_requests: sql`1`,
    draft: oneWhere(sql`state = 'draft'`),
    open: oneWhere(sql`state = 'open'`),
    merged: oneWhere(sql`state = 'merged'`),
    closed: oneWhere(sql`state = 'closed'`),
    cost_micro: sql`coalesce(cost_micro, 0)`,
    // The clocks of the provider and of the cluster may be apart.
    merged_after_ms: sql`CASE WHEN merged_ms > created_ms THEN merged_ms - created_ms ELSE 0 END`,
  },
  greatest: [],
};

/** The selected pull requests in sums, by the instant that counts. */
export function pullRequestSumsOf<Column extends keyof PullRequestSums>(
  by: Counted,
  selected: Selected,
  wanted: readonly Column[],
) {
  return sumsOf(pullRequestSums, by, { selected, wanted });
}
