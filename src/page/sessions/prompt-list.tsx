import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { api, bodyOf, type PromptSummary, type SessionRights } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { Badge, spaced } from "../parts/badge.tsx";
import { useLoaded } from "../parts/load.ts";
import { Pager, usePaging } from "../parts/pager.tsx";
import { shownDuration } from "../parts/relative-time.ts";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { lastOfBranches } from "./branches.ts";
import { MediaList } from "./media-list.tsx";
import { shownUsd } from "./money.ts";
import { PullRequest } from "./pull-request.tsx";

/** The prompts of a session, newest first; `turn` changes when prompts come or end. */
export function PromptList({ id, rights, turn }: { id: string; rights: SessionRights; turn: string }): JSX.Element {
  const paging = usePaging(id);
  const { loaded, reload } = useLoaded(`prompts ${id} ${turn} ${paging.query.cursor ?? ""}`, (signal) => {
    const params = { path: { id }, query: { limit: 10, ...paging.query } };
    return bodyOf(api.GET("/sessions/{id}/prompts", { params, signal }));
  });
  return (
    <Show loaded={loaded} what="prompts" reload={reload}>
      {({ prompts, nextCursor }) =>
        prompts.length === 0 && paging.isFirst ? (
          <Empty>No prompt was sent yet.</Empty>
        ) : (
          <>
            <Prompts prompts={prompts} rights={rights} onDone={reload} />
            <Pager paging={paging} nextCursor={nextCursor} />
          </>
        )
      }
    </Show>
  );
}

/** The branch of several prompts is shown with the newest of them. */
function Prompts({
  prompts,
  rights,
  onDone,
}: {
  prompts: readonly PromptSummary[];
  rights: SessionRights;
  onDone: () => void;
}): JSX.Element {
  const withBranch = lastOfBranches(prompts);
  return (
    <ol class="prompts">
      {prompts.map((prompt) => (
        <PromptItem key={prompt.id} prompt={prompt} rights={rights} onDone={onDone}>
          {withBranch.has(prompt.id) && <BranchOf prompt={prompt} rights={rights} />}
        </PromptItem>
      ))}
    </ol>
  );
}

function BranchOf({ prompt, rights }: { prompt: PromptSummary; rights: SessionRights }): JSX.Element {
  if (!rights.getPullRequest) return <p class="faint">You may not see the pull request of its branch.</p>;
  return <PullRequest prompt={prompt} mayAsk={rights.requestPullRequest} />;
}

const unfinished = ["created", "pending", "processing"];

function PromptItem({
  prompt,
  rights,
  onDone,
  children,
}: {
  prompt: PromptSummary;
  rights: SessionRights;
  onDone: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { isBusy, problem, run } = useAction();
  const { id: promptId, sessionId: id, status, message, result, origin } = prompt;
  const isFeedback = origin === "pull_request_feedback";
  const cancel = (): Promise<unknown> =>
    bodyOf(api.POST("/sessions/{id}/prompts/{promptId}/cancel", { params: { path: { id, promptId } } })).then(onDone);
  return (
    <li>
      <Badge word={status} /> <When at={prompt.createdAt} /> <PromptEnd prompt={prompt} />
      {rights.stop && unfinished.includes(status) && (
        <button type="button" class="small" disabled={isBusy} onClick={() => run(cancel)}>
          Cancel
        </button>
      )}
      {isFeedback && <p class="card">Resumed by feedback on its pull request</p>}
      {message !== null && (
        <p>
          <Untrusted text={result?.summary ?? message} />
        </p>
      )}
      <MediaList media={prompt.media} mayGet={rights.getPrompts} />
      {children}
      {/* Feedback is long data for the agent; people read it at the pull request. */}
      {rights.getPrompts && !isFeedback && <PromptText id={id} promptId={promptId} />}
      <ActionProblem problem={problem} />
    </li>
  );
}

/** How long a prompt took, what it cost and why it failed, as far as that is known. */
function PromptEnd({ prompt }: { prompt: PromptSummary }): JSX.Element {
  const { failureReason, startedAt, completedAt, usage } = prompt;
  const costUsd = usage?.costUsd ?? null;
  return (
    <span class="faint">
      {startedAt !== null && completedAt !== null && `took ${shownDuration(completedAt - startedAt)} `}
      {costUsd !== null && `${shownUsd(costUsd)} `}
      {failureReason !== null && spaced(failureReason)}
    </span>
  );
}

/** The text of a prompt, loaded when a person asks for it. */
function PromptText({ id, promptId }: { id: string; promptId: string }): JSX.Element {
  const [text, setText] = useState<string>();
  const { problem, run } = useAction();
  const load = async (): Promise<void> => {
    const asked = { params: { path: { id, promptId } } };
    const { prompt } = await bodyOf(api.GET("/sessions/{id}/prompts/{promptId}", asked));
    const images = prompt.images.map(({ fileName }) => `[image ${fileName ?? ""}]\n`).join("");
    setText(`${images}${prompt.text}`);
  };
  return (
    <details
      onToggle={(event) => {
        if (event.currentTarget.open && text === undefined) run(load);
      }}
    >
      <summary>Text</summary>
      {text !== undefined && (
        <pre class="text">
          <Untrusted text={text} />
        </pre>
      )}
      <ActionProblem problem={problem} />
    </details>
  );
}
