import type { JSX } from "preact";
import { api, bodyOf, type Invocation } from "../api.ts";
import { Badge, spaced } from "../parts/badge.tsx";
import { Branches } from "../parts/branches.tsx";
import { useLoaded } from "../parts/load.ts";
import { Pager, usePaging } from "../parts/pager.tsx";
import { shownDuration } from "../parts/relative-time.ts";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { historyEnd, noRuns } from "./history-end.ts";

/** The history of an automation, newest first. */
export function InvocationList({ id, namespace }: { id: string; namespace: string }): JSX.Element {
  const paging = usePaging(id);
  const { loaded, reload } = useLoaded(`invocations ${id} ${paging.query.cursor ?? ""}`, (signal) => {
    const params = { path: { id }, query: { limit: 10, ...paging.query } };
    return bodyOf(api.GET("/automations/{id}/invocations", { params, signal }));
  });
  return (
    <Show loaded={loaded} what="runs" reload={reload}>
      {(page) => (
        <>
          {!page.isComplete && (
            <p class="stale" role="status">
              The archive cannot be read now: runs that the cluster has no more are missing.
            </p>
          )}
          {page.invocations.length === 0 && paging.isFirst ? (
            <Empty>{noRuns(page)}</Empty>
          ) : (
            <>
              <InvocationTable invocations={page.invocations} namespace={namespace} />
              <Pager paging={paging} nextCursor={page.nextCursor} />
            </>
          )}
          {historyEnd(page).map((text) => (
            <p key={text} class="faint">
              <Untrusted text={text} />
            </p>
          ))}
        </>
      )}
    </Show>
  );
}

function InvocationTable({
  invocations,
  namespace,
}: {
  invocations: readonly Invocation[];
  namespace: string;
}): JSX.Element {
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="hidden">Runs, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Started by</th>
            <th scope="col">State</th>
            <th scope="col">Took</th>
            <th scope="col">Result</th>
            <th scope="col">Sessions</th>
          </tr>
        </thead>
        <tbody>
          {invocations.map((invocation) => (
            <Row key={invocation.id} invocation={invocation} namespace={namespace} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ invocation, namespace }: { invocation: Invocation; namespace: string }): JSX.Element {
  const { source, status, createdAt, startedAt, completedAt } = invocation;
  const reason = invocation.skipReason ?? invocation.failureReason;
  const tookMs = startedAt === null || completedAt === null ? undefined : completedAt - startedAt;
  return (
    <tr>
      <th scope="row">
        {source}{" "}
        <span class="faint">
          <When at={createdAt} />
        </span>
      </th>
      <td data-label="State">
        <Badge word={status} /> {reason !== null && reason !== status && <span class="faint">{spaced(reason)}</span>}
      </td>
      <td data-label="Took" class="short">
        {tookMs === undefined ? <span class="faint">–</span> : shownDuration(tookMs)}
      </td>
      <td data-label="Result" class="wide">
        <ResultCell invocation={invocation} />
      </td>
      <td data-label="Sessions">
        <SessionLinks runs={invocation.runs} namespace={namespace} />
      </td>
    </tr>
  );
}

function ResultCell({ invocation: { result, message } }: { invocation: Invocation }): JSX.Element {
  return (
    <>
      <Untrusted text={result?.summary ?? message ?? ""} /> <Branches result={result} />
    </>
  );
}

function SessionLinks({ runs, namespace }: { runs: Invocation["runs"]; namespace: string }): JSX.Element {
  if (runs.length === 0) return <span class="faint">–</span>;
  return (
    <>
      {runs.map((run) => (
        <a key={run.id} class="block" href={`/sessions/${namespace}.${run.id}`}>
          {run.target ?? run.id}
        </a>
      ))}
    </>
  );
}
