import type { JSX } from "preact";
import { api, bodyOf, type Session } from "../api.ts";
import { Badge } from "../parts/badge.tsx";
import { useLoaded } from "../parts/load.ts";
import { Pager, usePaging } from "../parts/pager.tsx";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { NamespaceField, useNamespaceQuery } from "../shell/namespace.tsx";
import { shownUsd } from "./money.ts";

/** All sessions that the person may list. */
export function SessionsPage(): JSX.Element {
  const query = useNamespaceQuery();
  const list = JSON.stringify(query);
  const paging = usePaging(list);
  const { loaded, reload } = useLoaded(`sessions ${list} ${paging.query.cursor ?? ""}`, (signal) =>
    bodyOf(api.GET("/sessions", { params: { query: { ...query, ...paging.query } }, signal })),
  );
  return (
    <>
      <div class="bar">
        <h1>Sessions</h1>
        <NamespaceField />
      </div>
      <Show loaded={loaded} what="sessions" reload={reload}>
        {({ sessions, nextCursor }) =>
          sessions.length === 0 && paging.isFirst ? (
            <Empty>There is no session here yet.</Empty>
          ) : (
            <>
              <SessionTable sessions={sessions} />
              <Pager paging={paging} nextCursor={nextCursor} />
            </>
          )
        }
      </Show>
    </>
  );
}

function SessionTable({ sessions }: { sessions: readonly Session[] }): JSX.Element {
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="hidden">Sessions, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Works on</th>
            <th scope="col">Prompts</th>
            <th scope="col">Cost</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id}>
              <th scope="row">
                <a href={`/sessions/${session.id}`}>
                  <Untrusted text={session.name} />
                </a>
                <span class="faint"> in {session.namespace}</span>
              </th>
              <td data-label="State">
                <Badge word={session.status} />
              </td>
              <td data-label="Works on">
                {[...session.repositories, session.environment ?? []].flat().join(", ") || "–"}
              </td>
              <td data-label="Prompts">
                {session.endedPrompts}
                {session.unfinishedPrompts > 0 && <span class="faint"> + {session.unfinishedPrompts} unfinished</span>}
              </td>
              <td data-label="Cost">{shownUsd(session.costUsd)}</td>
              <td data-label="Created">
                <When at={session.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
