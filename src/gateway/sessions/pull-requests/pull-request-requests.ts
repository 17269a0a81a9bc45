import { annotations, Integration, Prompt, PullRequest, reasons } from "../../../api/v1alpha1/index.ts";
import { anyOpensFor } from "../../../domain/pull-requests/asking.ts";
import { isFollowed, pullRequestOf, wishFor } from "../../../domain/pull-requests/wish.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { fieldIs } from "../../../kube/field-selector.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf } from "../../../lib/resource.ts";
import type { Audit, Requested } from "../../http/audit.ts";
import { ApiError, failWrite } from "../../http/errors.ts";
import type { LongLists } from "../../http/long-lists.ts";
import { lookUntil } from "../../http/look-until.ts";
import type { PullRequestOfPrompt } from "./answers.ts";
import { baseBranch } from "./base-branch.ts";
import type { ReportedBranch } from "./reported-branch.ts";

interface PullRequestRequestsDeps {
  client: Pick<KubeClient, "find" | "patch">;
  clock: Clock;
  lists: LongLists;
  audit: Audit;
  /** Milliseconds to wait for the connector. */
  decisionMs: number;
}

/** The pull request of a branch, and why asking is of no use. */
export interface KnownPullRequest {
  /** Undefined where none is made yet. */
  pullRequest: PullRequest | undefined;
  /** Null where it is opened when it is asked for, or is open. */
  obstacle: PullRequestOfPrompt["obstacle"];
}

/** What a request came to. */
interface AskedPullRequest {
  /** The branch with its prompt as it is after the request. */
  reported: ReportedBranch;
  known: KnownPullRequest;
  /** Whether nothing more is to come: it was done, GitHub refused it, or there was nothing to ask for. */
  isDone: boolean;
}

/** PullRequests per page: each may have 1,000 entries of feedback, which are dropped as it is read. */
const pageSize = 20;

/** Asks for pull requests on behalf of people; the connector opens them. */
export class PullRequestRequests {
  readonly #deps: PullRequestRequestsDeps;

  constructor(deps: PullRequestRequestsDeps) {
    this.#deps = deps;
  }

  /** What is known now. @throws ApiError `Busy` */
  async read(reported: ReportedBranch, signal: AbortSignal): Promise<KnownPullRequest> {
    const pullRequest = await this.#find(reported, signal);
    const isBase = wishFor(pullRequest, reported.session) === "Open" && (await this.#isBase(reported, signal));
    return isBase ? { pullRequest, obstacle: "base_branch" } : this.#known(reported, pullRequest, signal);
  }

  /** Of a branch that is not the base. */
  async #known(
    { session }: ReportedBranch,
    pullRequest: PullRequest | undefined,
    signal: AbortSignal,
  ): Promise<KnownPullRequest> {
    const wish = wishFor(pullRequest, session);
    if (wish !== "Open" && wish !== "TryAgain") return { pullRequest, obstacle: null };
    const { namespace } = session.metadata;
    const integrations = await this.#deps.lists.read<Integration>(Integration, { namespace, signal });
    return { pullRequest, obstacle: anyOpensFor(integrations, session) ? null : "no_integration" };
  }

  async #isBase({ session, branch }: ReportedBranch, signal: AbortSignal): Promise<boolean> {
    return (await baseBranch(this.#deps.client, session, signal)) === branch;
  }

  async #find({ session, branch }: ReportedBranch, signal: AbortSignal): Promise<PullRequest | undefined> {
    const { namespace } = session.metadata;
    const fieldSelector = fieldIs("spec.head", branch);
    const options = { namespace, fieldSelector, limit: pageSize, signal, transform: withoutFeedback };
    return pullRequestOf(await this.#deps.lists.read<PullRequest>(PullRequest, options), session, branch);
  }

  /** Asks for what its state allows, and waits for the connector. Nothing is written where another session owns it. @throws ApiError */
  async ask(reported: ReportedBranch, { requester, signal }: Requested): Promise<AskedPullRequest> {
    const { client, clock, audit, decisionMs } = this.#deps;
    const { prompt, session } = reported;
    const before = await this.#find(reported, signal);
    const wish = wishFor(before, session);
    if (wish === undefined) return { reported, known: { pullRequest: before, obstacle: null }, isDone: true };
    if (wish === "Open" && (await this.#isBase(reported, signal))) throw isBase(reported);
    const requestedAt = clock.now().toISOString();
    // The UID is a precondition: a new prompt of the same name is not changed.
    const metadata = { uid: prompt.metadata.uid, annotations: { [annotations.pullRequestRequestedAt]: requestedAt } };
    const asked = await client.patch<Prompt>(Prompt, keyOf(prompt), { metadata }, { signal }).catch(failWrite);
    audit.note(requester, asked, {
      reason: reasons.pullRequestRequested,
      did: "asked for the pull request of its branch",
    });
    let pullRequest = before;
    const followed = await lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
      pullRequest = await this.#find(reported, signal);
      const isDone = pullRequest !== undefined && isFollowed(pullRequest, session, requestedAt);
      return isDone || undefined;
    });
    const known = await this.#known(reported, pullRequest, signal);
    return { reported: { ...reported, prompt: asked }, known, isDone: followed === true };
  }
}

function isBase({ prompt, branch }: ReportedBranch): ApiError {
  const what = `prompt ${prompt.metadata.name ?? ""} ended with branch ${branch}`;
  return new ApiError("NoBranch", `${what}, which pull requests of its repository go into`);
}

function withoutFeedback(pullRequest: PullRequest): PullRequest {
  delete pullRequest.status?.feedback;
  return pullRequest;
}
