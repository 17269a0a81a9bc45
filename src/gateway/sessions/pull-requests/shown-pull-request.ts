import { conditionTypes, type PullRequest, type PullRequestStatus } from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { openRequest, requestOf } from "../../../domain/pull-requests/requests.ts";
import { type PullRequestWish, wishFor } from "../../../domain/pull-requests/wish.ts";
import { namespacedNameText } from "../../../lib/namespaced-name.ts";
import { instantOf, nameOf, reasonWord } from "../../http/product-words.ts";
import type { PullRequestOfPrompt } from "./answers.ts";
import type { KnownPullRequest } from "./pull-request-requests.ts";
import type { ReportedBranch } from "./reported-branch.ts";

const wordOf = { Open: "open", TryAgain: "try_again", ReadState: "read_state" } as const satisfies Record<
  PullRequestWish,
  PullRequestOfPrompt["wish"]
>;
const stateOf = { Draft: "draft", Open: "open", Merged: "merged", Closed: "closed" } as const;

/** Of a prompt that has not ended with a branch. */
export const withoutBranch: PullRequestOfPrompt = {
  branch: null,
  wish: null,
  requestedAt: null,
  obstacle: null,
  pullRequest: null,
};

/** What a branch's pull request is at in the REST API. */
export function shownOfPrompt(
  { prompt, session, branch }: ReportedBranch,
  { pullRequest, obstacle }: KnownPullRequest,
  now: Date,
): PullRequestOfPrompt {
  const wish = obstacle === "base_branch" ? undefined : wishFor(pullRequest, session);
  const request = pullRequest ? openRequest(pullRequest, [prompt], now) : requestOf(prompt, now);
  return {
    branch,
    wish: wish === undefined ? null : wordOf[wish],
    requestedAt: wish === undefined ? null : instantOf(request),
    obstacle,
    pullRequest: pullRequest ? shown(pullRequest) : null,
  };
}

type Shown = NonNullable<PullRequestOfPrompt["pullRequest"]>;

function shown(pullRequest: PullRequest): Shown {
  const { spec, status = {} } = pullRequest;
  const { namespace } = nameOf(pullRequest);
  return {
    id: namespacedNameText(nameOf(pullRequest)),
    sessionId: namespacedNameText({ namespace, name: spec.sessionRef.name }),
    repository: status.repository ?? spec.repository,
    ...shownAtGitHub(status),
    ...shownReady(status),
  };
}

function shownAtGitHub({ number, url, githubState }: PullRequestStatus): Pick<Shown, "number" | "url" | "state"> {
  return { number: number ?? null, url: url ?? null, state: githubState === undefined ? null : stateOf[githubState] };
}

function shownReady({ conditions }: PullRequestStatus): Pick<Shown, "reason" | "message"> {
  const { reason = "", message = "" } = findCondition(conditions, conditionTypes.ready) ?? {};
  return { reason: reasonWord(reason), message };
}
