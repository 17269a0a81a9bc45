import type { JSX } from "preact";
import { api, bodyOf, type PullRequests } from "../api.ts";
import { useLoaded } from "../parts/load.ts";
import { shownDuration } from "../parts/relative-time.ts";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { shownUsd } from "../sessions/money.ts";
import { useNamespaceQuery } from "../shell/namespace.tsx";
import { Bars } from "./bars.tsx";
import { DayChart } from "./day-chart.tsx";
import { Figure } from "./figure.tsx";
import { shownRate } from "./rate.ts";

const mostRepositories = 20;

/** Figures of the pull requests of the last days, whoever started their sessions. */
export function PullRequestsSection({
  days,
  refreshMs,
}: {
  days: "7" | "14" | "30" | "90";
  refreshMs: number;
}): JSX.Element {
  const query = { ...useNamespaceQuery(), days, limit: mostRepositories };
  const { loaded, reload } = useLoaded(
    `pull requests ${JSON.stringify(query)}`,
    (signal) => bodyOf(api.GET("/analytics/pull-requests", { params: { query }, signal })),
    refreshMs,
  );
  return (
    <section aria-labelledby="pull-requests">
      <h2 id="pull-requests">Pull requests</h2>
      <Show loaded={loaded} what="pull requests" reload={reload}>
        {(figures) =>
          hasAny(figures) ? (
            <>
              <p class="hint">Of all sources. Created and merged are those of the last {days} days.</p>
              <Figures figures={figures} />
              <DayChart
                title="Pull requests by day"
                unit="Created"
                numbers="Numbers of pull requests"
                days={figures.series}
                countOf={({ created }) => created}
                more={[["Merged", ({ merged }) => merged.toLocaleString("en")]]}
              />
              <Repositories figures={figures} />
              <Bars title="Pull requests by state" head="State" unit="Pull requests" rows={statesOf(figures)} />
              <Bars
                title="Pull requests by source"
                head="Source"
                unit="Pull requests"
                rows={figures.bySource.map(({ startedBy, created }) => [startedBy ?? "unknown", created])}
              />
            </>
          ) : (
            <Empty>No pull request of an agent was created or merged in the last {days} days, and none is open.</Empty>
          )
        }
      </Show>
    </section>
  );
}

function hasAny({ funnel, mergedInWindow, openNow }: PullRequests): boolean {
  return funnel.created + mergedInWindow + openNow.draft + openNow.open > 0;
}

function statesOf({ funnel: { draft, open, merged, closed } }: PullRequests): [string, number][] {
  return Object.entries({ draft, open, merged, closed });
}

function Figures({ figures }: { figures: PullRequests }): JSX.Element {
  const { funnel, mergedInWindow, avgTimeToMergeMs, openNow, acceptanceRate, costPerMergedUsd } = figures;
  return (
    <dl class="figures">
      <Figure name="Created" value={funnel.created.toLocaleString("en")} />
      <Figure name="Merged" value={mergedInWindow.toLocaleString("en")} />
      <Figure name="Merged of decided" value={shownRate(acceptanceRate)} />
      <Figure name="Time to merge" value={avgTimeToMergeMs === null ? "–" : shownDuration(avgTimeToMergeMs)} />
      <Figure name="Open now" value={openNow.open.toLocaleString("en")} />
      <Figure name="Drafts now" value={openNow.draft.toLocaleString("en")} />
      <Figure name="Cost of a merged one" value={shownUsd(costPerMergedUsd)} />
    </dl>
  );
}

function Repositories({ figures: { byRepository, hasMore } }: { figures: PullRequests }): JSX.Element {
  return (
    <section>
      <h2>Pull requests by repository</h2>
      <div class="scroll">
        <table class="cards">
          <caption class="hidden">Pull requests by repository, most created first</caption>
          <thead>
            <tr>
              <th scope="col">Repository</th>
              <th scope="col">Created</th>
              <th scope="col">Merged</th>
            </tr>
          </thead>
          <tbody>
            {byRepository.map(({ namespace, repository, created, merged }) => (
              <tr key={`${namespace} ${repository}`}>
                <th scope="row">
                  <Untrusted text={repository} />
                  <span class="faint"> in {namespace}</span>
                </th>
                <td data-label="Created">{created.toLocaleString("en")}</td>
                <td data-label="Merged">{merged.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && <p class="hint">The repositories with fewer pull requests are left out.</p>}
    </section>
  );
}
