import type { JSX } from "preact";
import { useRoute } from "preact-iso";
import { pushedBranches } from "../../domain/prompts/pushed-branches.ts";
import { api, bodyOf, type Session, type SessionRights } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { Badge, spaced } from "../parts/badge.tsx";
import { Branches } from "../parts/branches.tsx";
import { useLoaded } from "../parts/load.ts";
import { Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { Composer } from "./composer.tsx";
import { shownUsd } from "./money.ts";
import { PromptList } from "./prompt-list.tsx";
import { Timeline } from "./timeline.tsx";
import { TunnelList } from "./tunnel-list.tsx";

interface Found {
  session: Session;
  rights: SessionRights;
}

const refreshMs = 5_000;

async function find(id: string, signal: AbortSignal): Promise<Found> {
  const asked = { params: { path: { id } }, signal };
  const [{ session }, rights] = await Promise.all([
    bodyOf(api.GET("/sessions/{id}", asked)),
    bodyOf(api.GET("/sessions/{id}/rights", asked)),
  ]);
  return { session, rights };
}

/** One session: what happens in it, its prompts, and a place to write the next one. */
export function SessionPage(): JSX.Element {
  const id = useRoute().params.id ?? "";
  const { loaded, reload } = useLoaded(`session ${id}`, (signal) => find(id, signal), refreshMs);
  return (
    <>
      <p class="path">
        <a href="/sessions">Sessions</a>
      </p>
      <Show loaded={loaded} what="the session" heading="Session" reload={reload}>
        {(found) => <Detail key={id} {...found} reload={reload} />}
      </Show>
    </>
  );
}

function Detail({ session, rights, reload }: Found & { reload: () => void }): JSX.Element {
  const { id, name, status } = session;
  return (
    <>
      <div class="bar">
        <h1>
          <Untrusted text={name} />
        </h1>
        <Badge word={status} />
        <SessionActions session={session} rights={rights} onDone={reload} />
      </div>
      <Facts session={session} />
      <TunnelList session={session} mayOpen={rights.openTunnels} />
      <section>
        <h2>Timeline</h2>
        {rights.readEvents ? <Timeline id={id} /> : <p class="state">You may not see what happens in it.</p>}
      </section>
      {rights.createPrompt && <Composer id={id} onSent={reload} />}
      <section>
        <h2>Prompts</h2>
        {rights.listPrompts ? (
          <PromptList id={id} rights={rights} turn={`${session.unfinishedPrompts}/${session.endedPrompts}`} />
        ) : (
          <p class="state">You may not see its prompts.</p>
        )}
      </section>
    </>
  );
}

function SessionActions({
  session: { id, currentPrompt, unfinishedPrompts },
  rights,
  onDone,
}: Found & { onDone: () => void }): JSX.Element {
  const { isBusy, problem, run } = useAction();
  const asked = { params: { path: { id } } };
  return (
    <div class="actions">
      {rights.stop && currentPrompt && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => bodyOf(api.POST("/sessions/{id}/stop", asked)).then(onDone))}
        >
          Stop
        </button>
      )}
      {rights.cancel && unfinishedPrompts > 0 && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => bodyOf(api.POST("/sessions/{id}/cancel", asked)).then(onDone))}
        >
          Cancel all prompts
        </button>
      )}
      <ActionProblem problem={problem} />
    </div>
  );
}

function Facts({ session }: { session: Session }): JSX.Element {
  const { repositories, environment, sandbox, costUsd, nextDeadline, result, createdAt, serviceAccountName } = session;
  const targets = [...repositories, ...(environment === null ? [] : [`environment ${environment}`])];
  return (
    <dl class="facts">
      <dt>Works on</dt>
      <dd>{targets.length === 0 ? "an empty workspace" : targets.join(", ")}</dd>
      <dt>Cost</dt>
      <dd>{shownUsd(costUsd)}</dd>
      {sandbox && (
        <>
          <dt>Sandbox</dt>
          <dd>
            {spaced(sandbox.reason)}
            {sandbox.message !== "" && (
              <span class="faint">
                {" "}
                <Untrusted text={sandbox.message} />
              </span>
            )}
          </dd>
        </>
      )}
      {nextDeadline && (
        <>
          <dt>Next time limit</dt>
          <dd>
            {spaced(nextDeadline.reason)} <When at={nextDeadline.at} />
          </dd>
        </>
      )}
      {result?.summary != null && (
        <>
          <dt>Result</dt>
          <dd>
            <Untrusted text={result.summary} />
          </dd>
        </>
      )}
      {pushedBranches(result).length > 0 && (
        <>
          <dt>Branch</dt>
          <dd>
            <Branches result={result} />
          </dd>
        </>
      )}
      <dt>Acts as</dt>
      <dd>ServiceAccount {serviceAccountName}</dd>
      <dt>Created</dt>
      <dd>
        <When at={createdAt} />
      </dd>
    </dl>
  );
}
