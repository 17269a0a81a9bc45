import { z } from "zod";
import { shownDuration } from "../../lib/shown-duration.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";
import { shownRate } from "./shown-rate.ts";

const CreatedAndMerged = { created: z.number(), merged: z.number() };

/** What the gateway answers of pull requests. */
export const PullRequestFigures = z.looseObject({
  funnel: z.looseObject({ created: z.number() }).catchall(z.number()),
  acceptanceRate: z.number().nullable(),
  costUsd: z.string(),
  costPerMergedUsd: z.string().nullable(),
  mergedInWindow: z.number(),
  avgTimeToMergeMs: z.number().nullable(),
  openNow: z.looseObject({ draft: z.number(), open: z.number() }),
  bySource: z.array(z.looseObject({ startedBy: z.string().nullable(), ...CreatedAndMerged })),
  byRepository: z.array(z.looseObject({ namespace: z.string(), repository: z.string(), ...CreatedAndMerged })),
  hasMore: z.boolean(),
});
export type PullRequestFigures = z.output<typeof PullRequestFigures>;

/** All figures; with `by` repository, those of each. */
export function shownPullRequests(figures: PullRequestFigures, by: string | undefined): Printable {
  const text = by === "repository" ? ofRepositories(figures) : inAll(figures);
  return { text, json: figures };
}

function inAll(figures: PullRequestFigures): string {
  const { funnel, costPerMergedUsd, avgTimeToMergeMs, openNow, bySource } = figures;
  const { created, ...states } = funnel;
  const rows = [
    ["Created", String(created)],
    ...Object.entries(states).map(([state, count]) => [`  ${state}`, String(count)]),
    ...bySource.map((one) => [`  by ${one.startedBy ?? "unknown"}`, String(one.created)]),
    ["Acceptance rate", shownRate(figures.acceptanceRate)],
    ["Cost", `$${figures.costUsd}`],
    ["Cost a merge", costPerMergedUsd === null ? "-" : `$${costPerMergedUsd}`],
    ["Merged", String(figures.mergedInWindow)],
    ["Time to merge", avgTimeToMergeMs === null ? "-" : shownDuration(avgTimeToMergeMs)],
    ["Open now", String(openNow.open)],
    ["Drafts now", String(openNow.draft)],
  ];
  return textTable(["FIGURE", "VALUE"], rows);
}

function ofRepositories({ byRepository }: PullRequestFigures): string {
  if (byRepository.length === 0) return "";
  const rows = byRepository.map((one) => [one.namespace, one.repository, String(one.created), String(one.merged)]);
  return textTable(["NAMESPACE", "REPOSITORY", "CREATED", "MERGED"], rows);
}
