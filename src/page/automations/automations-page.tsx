import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { api, type AutomationSummary, bodyOf } from "../api.ts";
import { Badge, spaced } from "../parts/badge.tsx";
import { useLoaded } from "../parts/load.ts";
import { Pager, usePaging } from "../parts/pager.tsx";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { MaybeWhen, When } from "../parts/time.tsx";
import { NamespaceField, useNamespaceQuery } from "../shell/namespace.tsx";

/** All automations that the person may list. */
export function AutomationsPage(): JSX.Element {
  const [search, setSearch] = useState("");
  const query = { ...useNamespaceQuery(), ...(search.trim() === "" ? {} : { search: search.trim() }) };
  const list = JSON.stringify(query);
  const paging = usePaging(list);
  const { loaded, reload } = useLoaded(`automations ${list} ${paging.query.cursor ?? ""}`, (signal) =>
    bodyOf(api.GET("/automations", { params: { query: { ...query, ...paging.query } }, signal })),
  );
  return (
    <>
      <div class="bar">
        <h1>Automations</h1>
        <NamespaceField />
        <SearchField search={search} onSearch={setSearch} />
        <a class="button" href="/new">
          New automation
        </a>
      </div>
      <Show loaded={loaded} what="automations" reload={reload}>
        {({ automations, nextCursor }) =>
          automations.length === 0 && paging.isFirst ? (
            <Empty>
              {search.trim() === "" ? "There is no automation here yet." : "No automation has this in its name."}
            </Empty>
          ) : (
            <>
              <AutomationTable automations={automations} />
              <Pager paging={paging} nextCursor={nextCursor} />
            </>
          )
        }
      </Show>
    </>
  );
}

function SearchField({ search, onSearch }: { search: string; onSearch: (text: string) => void }): JSX.Element {
  const id = useId();
  return (
    <div class="search">
      <label for={id}>Search</label>
      <input
        id={id}
        type="search"
        maxLength={200}
        value={search}
        placeholder="name"
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
    </div>
  );
}

function AutomationTable({ automations }: { automations: readonly AutomationSummary[] }): JSX.Element {
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="hidden">Automations, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Trigger</th>
            <th scope="col">Last run</th>
            <th scope="col">Next due</th>
          </tr>
        </thead>
        <tbody>
          {automations.map((automation) => (
            <Row key={automation.id} automation={automation} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ automation }: { automation: AutomationSummary }): JSX.Element {
  const { id, name, namespace, status, pauseReason, problem, triggerType, scheduleCron, activeRuns } = automation;
  const { lastInvocation: last, nextRunAt } = automation;
  return (
    <tr>
      <th scope="row">
        <a href={`/automations/${id}`}>
          <Untrusted text={name} />
        </a>
        <span class="faint"> in {namespace}</span>
      </th>
      <td data-label="State">
        <Badge word={status} />
        {pauseReason !== null && <span class="faint"> {spaced(pauseReason)}</span>}
        {activeRuns > 0 && <span class="faint"> {activeRuns} active</span>}
        {problem !== null && (
          <p class="row-problem">
            <Untrusted text={problem} />
          </p>
        )}
      </td>
      <td data-label="Trigger">
        {spaced(triggerType)}
        {scheduleCron !== null && <code> {scheduleCron}</code>}
      </td>
      <td data-label="Last run">
        {last ? (
          <>
            {spaced(last.reason)}{" "}
            <span class="faint">
              <When at={last.createdAt} />
            </span>
          </>
        ) : (
          <span class="faint">none</span>
        )}
      </td>
      <td data-label="Next due">
        <MaybeWhen at={nextRunAt} />
      </td>
    </tr>
  );
}
