import { randomUUID } from "node:crypto";

import {
  conditionTypes,
  type Integration,
  type IntegrationEvent,
  Prompt,
  type PromptStatus,
  PullRequest,
  type PullRequestStatus,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { makePrompt } from "../../../src/domain/prompts/make-prompt.ts";
import { aVerdict } from "../../support/builders.ts";
import { type GitHubPull, nextNumber, repositoryId } from "../../support/github-pulls.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { ann, comment, handled } from "./github-world.ts";
import type { World } from "./world.ts";

const repository = "acme/api";
let branches = 0;

/** A branch of a name that no other has, as it is on the server. */
export function newBranch(world: World): string {
  branches += 1;
  const branch = `fix-${branches}`;
  world.github.branches.add(`${repository}:main`).add(`${repository}:${branch}`);
  return branch;
}

/** A Session of no Conversation, such as a Run's, on the Repository `api`. */
export function makeSession(world: World, spec: object = {}): Promise<Session> {
  return world.client.create(Session, {
    metadata: { name: `work-${randomUUID().slice(0, 8)}`, namespace: world.namespace },
    spec: { title: "Fix the login", target: { repositoryRefs: [{ name: "api" }] }, ...spec },
  } as Session);
}

/** A Prompt of the session that ended so long ago, with a branch that the agent reported. */
export async function push(
  world: World,
  session: Session,
  branch: string | undefined,
  {
    agoMs = 0,
    summary = "It was slow.",
    pullRequest,
  }: Pick<Ended, "agoMs" | "pullRequest"> & { summary?: string } = {},
): Promise<void> {
  const name = `${session.metadata.name ?? ""}-${randomUUID().slice(0, 8)}`;
  const prompt = await world.client.create(Prompt, makePrompt(session, { name, text: "Fix it." }));
  await endPrompt(world, prompt, { branch, agoMs, summary, pullRequest });
}

interface Ended {
  branch: string | undefined;
  agoMs?: number;
  summary: string;
  /** What the agent asked for. */
  pullRequest?: PromptStatus["pullRequest"];
}

/** Does what the gateway does when the agent has answered, with a branch that it reported. */
export async function endPrompt(
  { client }: Pick<World, "client">,
  prompt: Prompt,
  { branch, agoMs = 0, summary, pullRequest }: Ended,
): Promise<void> {
  const ended = new Date(Date.now() - agoMs);
  await client.patchStatus(Prompt, prompt, {
    observedGeneration: 1,
    startTime: ended.toISOString(),
    completionTime: ended.toISOString(),
    result: { summary, ...(branch !== undefined && { branch }) },
    ...(pullRequest && { pullRequest }),
    conditions: [aVerdict(true, "Completed", ended)],
  });
}

/** PullRequests for a branch. */
export async function pullRequestsOf(world: World, branch: string): Promise<PullRequest[]> {
  const { items } = await world.client.list(PullRequest, { namespace: world.namespace });
  return items.filter(({ spec }) => spec.head === branch);
}

/** The PullRequest for a branch, once its condition Ready has this reason. */
export async function pullRequestThat(world: World, branch: string, reason: string): Promise<PullRequest> {
  const find = async (): Promise<PullRequest | undefined> =>
    (await pullRequestsOf(world, branch)).find((one) => conditionOf(one, conditionTypes.ready)?.reason === reason);
  await until(`the pull request of ${branch} is ${reason}`, async () => (await find()) !== undefined);
  return (await find())!;
}

/** What is open at GitHub for a branch. */
export function pullsOf(world: World, branch: string): GitHubPull[] {
  return world.github.pulls.filter(({ head }) => head === branch);
}

/** One that a person opened. */
export function openedByPerson(world: World, head: string): GitHubPull {
  const pull: GitHubPull = {
    number: nextNumber(world.github),
    repository,
    headRepository: repository,
    head,
    base: "main",
    title: "Theirs",
    body: null,
    user: { id: 11, login: "ann" },
    state: "open",
    draft: false,
  };
  world.github.pulls.push(pull);
  return pull;
}

/** The event that GitHub sends when a pull request has changed. */
export function changed(
  world: Pick<World, "github">,
  number: number,
  { action = "closed", headRepository = repositoryId }: { action?: string; headRepository?: number } = {},
): { event: object; type: string } {
  const event = {
    action,
    installation: { id: world.github.installation.id },
    repository: { id: repositoryId, full_name: "Acme/API" },
    pull_request: { number, head: { repo: { id: headRepository } } },
  };
  return { event, type: "pull_request" };
}

/** A person changes a pull request, of which the App hears. */
export function change(
  world: World,
  integration: Integration,
  pull: GitHubPull,
  to: Partial<GitHubPull>,
): Promise<IntegrationEvent> {
  Object.assign(pull, to);
  return handled(world, integration, changed(world, pull.number));
}

/** A pull request that is open for a session's branch. */
export interface Opened {
  session: Session;
  branch: string;
  number: number;
  pull: GitHubPull;
}

export async function openPull(world: World): Promise<Opened> {
  const branch = newBranch(world);
  const session = await makeSession(world);
  await push(world, session, branch);
  await pullRequestThat(world, branch, "PullRequestOpened");
  const [pull] = pullsOf(world, branch);
  return { session, branch, number: pull!.number, pull: pull! };
}

/** What a review says: its line comments by their text. */
export interface Review {
  body?: string;
  state?: string;
  user?: { id: number; login: string };
  comments?: readonly string[];
  hunk?: string;
}

let reviews = 7_000;

/** A review, and the event that GitHub sends of it. */
export function review(
  world: Pick<World, "github">,
  number: number,
  { body = "", state = "COMMENTED", user = ann, comments = [], hunk = "@@ -1 +1 @@\n+x" }: Review = {},
): { id: number; event: Record<string, unknown>; type: string } {
  reviews += 1;
  const id = reviews;
  world.github.reviews.push({ id, repository, number, body, state, user });
  for (const text of comments) {
    const place = { path: "src/login.ts", line: 12, original_line: 12, diff_hunk: hunk, pull_request_review_id: id };
    world.github.say({ repository, number, body: text, user, review: place });
  }
  const { event } = changed(world, number, { action: "submitted" });
  return { id, event: { ...event, review: { id } }, type: "pull_request_review" };
}

/** A person's comment in the conversation of a pull request, and its event. */
export function commentOn(
  world: World,
  number: number,
  body: string,
  user = ann,
): { id: number; event: Record<string, unknown>; type: string } {
  const { id, event, type } = comment(world, number, body, { user });
  return { id, event: { ...event, issue: { number, pull_request: {} } }, type };
}

/** Prompts that feedback on pull requests of a session became. */
export async function feedbackPrompts(world: World, session: Session): Promise<Prompt[]> {
  const { items } = await world.client.list(Prompt, { namespace: world.namespace });
  return items.filter(({ spec }) => spec.sessionRef.name === session.metadata.name && spec.origin !== undefined);
}

/** Why an event was settled as it was. */
export function reasonOf(event: IntegrationEvent): string | undefined {
  return conditionOf(event, conditionTypes.succeeded)?.reason;
}

/** The status of the PullRequest for a branch. */
export async function statusOf(world: World, { branch }: Pick<Opened, "branch">): Promise<PullRequestStatus> {
  return (await pullRequestsOf(world, branch))[0]?.status ?? {};
}
