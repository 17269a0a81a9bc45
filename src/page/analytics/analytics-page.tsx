import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { api, bodyOf, type Summary } from "../api.ts";
import { useLoaded } from "../parts/load.ts";
import { Empty, Show } from "../parts/states.tsx";
import { shownUsd } from "../sessions/money.ts";
import { NamespaceField, useNamespaceQuery } from "../shell/namespace.tsx";
import { Bars } from "./bars.tsx";
import { BreakdownTable } from "./breakdown-table.tsx";
import { DayChart } from "./day-chart.tsx";
import { Figure } from "./figure.tsx";
import { PullRequestsSection } from "./pull-requests.tsx";
import { shownRate } from "./rate.ts";

const windows = ["7", "14", "30", "90"] as const;
const scopes = { people: "started by people", automations: "by automations", agents: "by agents", all: "all" } as const;
type Scope = keyof typeof scopes;

const groupings = { user: "person", repository: "repository", automation: "automation" } as const;
type Grouping = keyof typeof groupings;

const refreshMs = 30_000;

/** Figures of the sessions and pull requests of the last days, from the archive. */
export function AnalyticsPage(): JSX.Element {
  const [days, setDays] = useState<(typeof windows)[number]>("30");
  const [scope, setScope] = useState<Scope>("people");
  const [by, setBy] = useState<Grouping>("user");
  const query = { ...useNamespaceQuery(), days, scope };
  const { loaded, reload } = useLoaded(
    `analytics ${JSON.stringify(query)} ${by}`,
    (signal) => figures({ query, by }, signal),
    refreshMs,
  );
  return (
    <>
      <div class="bar">
        <h1>Analytics</h1>
        <NamespaceField />
        <Choice label="Days" value={days} options={windows.map((one) => [one, one])} onChoose={setDays} />
        <Choice
          label="Sessions"
          value={scope}
          options={Object.entries(scopes) as [Scope, string][]}
          onChoose={setScope}
        />
        <Choice label="By" value={by} options={Object.entries(groupings) as [Grouping, string][]} onChoose={setBy} />
      </div>
      <Show loaded={loaded} what="the figures" reload={reload}>
        {({ summary, series, breakdown }) => (
          <>
            {summary.totalSessions === 0 ? (
              <Empty>
                No session of this kind was created in the last {days} days.
                {scope !== "all" && " Choose “all” for those of people, automations and agents."}
              </Empty>
            ) : (
              <>
                <Figures summary={summary} />
                <DayChart
                  title="Sessions by day"
                  unit="Sessions"
                  numbers="Numbers"
                  days={series.series}
                  countOf={({ sessions }) => sessions}
                  more={[["Cost", ({ costUsd }) => shownUsd(costUsd)]]}
                />
                <section>
                  <h2>By {groupings[by]}</h2>
                  <BreakdownTable breakdown={breakdown} />
                </section>
                <Bars
                  title="Sessions by state"
                  head="State"
                  unit="Sessions"
                  rows={Object.entries(summary.statusBreakdown)}
                />
              </>
            )}
            <PullRequestsSection days={days} refreshMs={refreshMs} />
          </>
        )}
      </Show>
    </>
  );
}

type Window = ReturnType<typeof useNamespaceQuery> & { days: (typeof windows)[number]; scope: Scope };

async function figures({ query, by }: { query: Window; by: Grouping }, signal: AbortSignal) {
  const grouped = { ...query, by };
  const [summary, series, breakdown] = await Promise.all([
    bodyOf(api.GET("/analytics/summary", { params: { query }, signal })),
    bodyOf(api.GET("/analytics/timeseries", { params: { query: grouped }, signal })),
    bodyOf(api.GET("/analytics/breakdown", { params: { query: { ...grouped, limit: 20 } }, signal })),
  ]);
  return { summary, series, breakdown };
}

function Choice<T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value as T)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Figures({ summary }: { summary: Summary }): JSX.Element {
  const { totalSessions, activeUsers, totalMessages, totalCostUsd, avgCostUsd, completionRate } = summary;
  return (
    <>
      <dl class="figures">
        <Figure name="Sessions" value={totalSessions.toLocaleString("en")} />
        <Figure name="People" value={activeUsers.toLocaleString("en")} />
        <Figure name="Prompts" value={totalMessages.toLocaleString("en")} />
        <Figure name="Completed of ended" value={shownRate(completionRate)} />
        <Figure name="Cost" value={shownUsd(totalCostUsd)} />
        <Figure name="Cost of a session" value={shownUsd(avgCostUsd)} />
      </dl>
    </>
  );
}
