import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plainText } from "../../api/runtime/text.ts";
import { api, bodyOf, type PromptSummary, type PullRequestOfPrompt } from "../api.ts";
import { browserClock } from "../browser-clock.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { Badge } from "../parts/badge.tsx";
import { useLoaded } from "../parts/load.ts";
import { Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";

const path = "/sessions/{id}/prompts/{promptId}/pull-request";
const refreshMs = 5_000;
/** Milliseconds for which the page says that what was asked for is done. */
const shownMs = 5_000;

/** The pull request of the branch that a prompt ended with, and what the person may have done about it. */
export function PullRequest({ prompt, mayAsk }: { prompt: PromptSummary; mayAsk: boolean }): JSX.Element {
  const { id: promptId, sessionId: id } = prompt;
  const params = { path: { id, promptId } };
  const load = (signal: AbortSignal): Promise<PullRequestOfPrompt> => bodyOf(api.GET(path, { params, signal }));
  const { loaded, reload } = useLoaded(`pull request ${id} ${promptId}`, load, refreshMs);
  const ask = async (): Promise<PullRequestOfPrompt> => {
    const answer = await bodyOf(api.POST(path, { params }));
    reload();
    return answer;
  };
  return (
    <Show loaded={loaded} what="the pull request" reload={reload}>
      {(found) => <OfBranch found={found} sessionId={id} ask={mayAsk ? ask : undefined} />}
    </Show>
  );
}

const words = { open: "Open pull request", try_again: "Try again", read_state: "Read its state" } as const;

function OfBranch({
  found,
  sessionId,
  ask,
}: {
  found: PullRequestOfPrompt;
  sessionId: string;
  /** Left out where the person may not. */
  ask: (() => Promise<PullRequestOfPrompt>) | undefined;
}): JSX.Element {
  const { isBusy, problem, run } = useAction();
  const [isDone, setDone] = useState(false);
  const { requestedAt, pullRequest } = found;
  const branch = found.branch ?? "";
  const askOnce = async (): Promise<void> => {
    const answer = await ask?.();
    if (answer?.requestedAt !== null || answer.pullRequest?.number == null) return;
    setDone(true);
    browserClock.after(shownMs, () => setDone(false));
  };
  return (
    <div>
      <p>
        Branch{" "}
        <code>
          <Untrusted text={branch} />
        </code>
        : {pullRequest ? <Known pullRequest={pullRequest} sessionId={sessionId} /> : "no pull request"}
      </p>
      {ask && <Ask found={found} isBusy={isBusy} ask={() => run(askOnce)} />}{" "}
      <span role="status">{isDone && "Done"}</span>
      {found.obstacle === "base_branch" && (
        <span class="faint">
          Pull requests of the repository go into this branch, so there is none to open: the work is in it already.
        </span>
      )}
      {requestedAt !== null && (
        <p class="faint">
          Asked for <When at={requestedAt} />, and not done yet. It needs the connector, and an Integration of type
          GitHub with <code>github.pullRequests</code> that has the session's first Repository.
        </p>
      )}
      <ActionProblem problem={problem} />
    </div>
  );
}

/** The one button, and why it can't be pressed where nothing would come of it. */
function Ask({
  found: { branch, wish, requestedAt, obstacle },
  isBusy,
  ask,
}: {
  found: PullRequestOfPrompt;
  isBusy: boolean;
  ask: () => void;
}): JSX.Element | undefined {
  if (wish === null) return undefined;
  const shownBranch = plainText(branch ?? "", branch?.length ?? 0);
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label={`${words[wish]} (branch ${shownBranch})`}
        disabled={isBusy || obstacle !== null}
        onClick={ask}
      >
        {words[wish]}
      </button>
      {obstacle !== null && requestedAt === null && (
        <span class="faint">
          {" "}
          No Integration of type GitHub with <code>github.pullRequests</code> has the session's first Repository.
        </span>
      )}
    </>
  );
}

function Known({
  pullRequest,
  sessionId,
}: {
  pullRequest: NonNullable<PullRequestOfPrompt["pullRequest"]>;
  sessionId: string;
}): JSX.Element {
  const { sessionId: owner, repository, number, url, state, message } = pullRequest;
  return (
    <>
      {number === null ? "pull request not open" : <Place text={`${repository}#${String(number)}`} url={url} />}
      {state !== null && (
        <>
          {" "}
          <Badge word={state} />
        </>
      )}
      {owner !== sessionId && (
        <>
          {" "}
          of session <a href={`/sessions/${owner}`}>{owner}</a>
        </>
      )}{" "}
      <span class="faint">
        <Untrusted text={message} />
      </span>
    </>
  );
}

/** A link where the address that GitHub gave is one of a page, so that nothing else runs. */
function Place({ text, url }: { text: string; url: string | null }): JSX.Element {
  if (url === null || !/^https?:\/\//.test(url)) return <Untrusted text={text} />;
  return (
    <a href={url} rel="noreferrer">
      <Untrusted text={text} />
    </a>
  );
}
