import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  annotations,
  type Integration,
  Prompt,
  type PullRequest,
  type Session,
} from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { killAfterEachStep, watchGitHubSteps } from "./killing.ts";
import {
  makeSession,
  newBranch,
  openedByPerson,
  pullRequestsOf,
  pullRequestThat,
  pullsOf,
  push,
  statusOf,
} from "./pull-request-world.ts";
import { type Connector, World } from "./world.ts";

const dayMs = 86_400_000;
let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world, { pullRequests: "OnRequest" });
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
  world.github.after = undefined;
  world.github.refused.splice(0);
});

/** A branch that the agent of a new session pushed long ago. */
async function pushed(): Promise<{ branch: string; session: Session }> {
  const branch = newBranch(world);
  const session = await makeSession(world);
  await push(world, session, branch, { agoMs: 10 * dayMs });
  return { branch, session };
}

/** What `kubectl runwright pull-request create` does; returns the time of the request. */
async function ask(session: Session, value = new Date().toISOString()): Promise<string> {
  const { items } = await world.client.list(Prompt, { namespace: world.namespace });
  const prompt = items.find(({ spec }) => spec.sessionRef.name === session.metadata.name);
  const metadata = { annotations: { [annotations.pullRequestRequestedAt]: value } };
  await world.client.patch(Prompt, keyOf(prompt!), { metadata });
  return value;
}

/** Waits until a request was followed. */
async function followed(branch: string, value: string): Promise<PullRequest> {
  await until("the request is followed", async () => (await statusOf(world, { branch })).requestedAt === value);
  return (await pullRequestsOf(world, branch))[0]!;
}

describe("a pull request that a person asks for", () => {
  let connector: Connector;
  beforeAll(async () => {
    connector = await world.startConnector();
  });
  afterAll(async () => {
    connector.kill();
    await world.forgetLeader();
  });

  it("is opened as a draft, although the branch was pushed long ago", async () => {
    const { branch, session } = await pushed();
    const value = await ask(session);
    const { spec, status } = await pullRequestThat(world, branch, "PullRequestOpened");
    expect(spec).toMatchObject({ integrationRef: { name: integration.metadata.name }, openAs: "Draft" });
    expect(status).toMatchObject({ githubState: "Draft", requestedAt: value });
    expect(pullsOf(world, branch)).toMatchObject([{ title: "Fix the login", draft: true }]);
  });

  it("is the one that a person has opened", async () => {
    const { branch, session } = await pushed();
    const { number } = openedByPerson(world, branch);
    await ask(session);
    expect((await pullRequestThat(world, branch, "PullRequestAdopted")).status?.number).toBe(number);
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("is not opened unasked, nor for a request of a day ago", async () => {
    const [old, unasked, later] = [await pushed(), await pushed(), await pushed()];
    const branch = newBranch(world);
    await push(world, await makeSession(world), branch);
    await ask(old.session, new Date(Date.now() - dayMs).toISOString());
    await ask(later.session);
    await pullRequestThat(world, later.branch, "PullRequestOpened");
    for (const none of [old.branch, unasked.branch, branch]) expect(await pullRequestsOf(world, none)).toEqual([]);
  });

  it("is opened where the agent asks, as that words it, once and of late alone", async () => {
    const [late, branch] = [newBranch(world), newBranch(world)];
    const session = await makeSession(world);
    const pullRequest = { title: "Keep the @cookie", body: "It was dropped after a redirect." };
    await push(world, session, late, { agoMs: dayMs, pullRequest });
    await push(world, session, branch, { pullRequest });
    const { spec } = await pullRequestThat(world, branch, "PullRequestOpened");
    expect(spec).toMatchObject({ ...pullRequest, openAs: "Draft" });
    const [pull] = pullsOf(world, branch);
    expect(pull).toMatchObject({ draft: true, body: expect.stringContaining(pullRequest.body) as string });
    expect(pull?.title).not.toContain("@cookie");
    await push(world, session, branch, { pullRequest: { title: "Other", body: "" } });
    const next = newBranch(world);
    await push(world, session, next, { pullRequest: { title: "Next", body: "" } });
    expect((await pullRequestThat(world, next, "PullRequestOpened")).spec.body).toBe("It was slow.");
    expect(pullsOf(world, branch)).toEqual([pull]);
    expect(await pullRequestsOf(world, late)).toEqual([]);
  });

  it("is tried again where GitHub refused it, once for each request", async () => {
    const { branch, session } = await pushed();
    world.github.branches.delete(`acme/api:${branch}`);
    const first = await ask(session);
    const refused = await pullRequestThat(world, branch, "PullRequestRefused");
    expect(conditionOf(refused, "Ready")?.message).toContain("kubectl runwright pull-request create");
    expect(refused.status?.requestedAt).toBe(first);
    world.github.branches.add(`acme/api:${branch}`);
    const second = await ask(session);
    const opened = await pullRequestThat(world, branch, "PullRequestOpened");
    expect(opened.status?.requestedAt).toBe(second);
    expect(opened.metadata.uid).toBe(refused.metadata.uid);
  });

  it("does not wait for the next try where it is asked for again", async () => {
    const { branch, session } = await pushed();
    world.github.fault = (route) => (route.startsWith("POST /repos/acme/api/pulls") ? "error" : undefined);
    await ask(session);
    // The next try would be a minute later, which is longer than this test may take.
    await until("two calls have failed", async () => (await statusOf(world, { branch })).tries === 2);
    world.github.fault = undefined;
    await ask(session);
    const { status } = await pullRequestThat(world, branch, "PullRequestOpened");
    expect(status).not.toHaveProperty("nextTryTime");
    expect(pullsOf(world, branch)).toHaveLength(1);
  });
});

describe("the state of a pull request that a person asks for", () => {
  let connector: Connector;
  beforeAll(async () => {
    connector = await world.startConnector();
  });
  afterAll(async () => {
    connector.kill();
    await world.forgetLeader();
  });

  async function opened(): Promise<{ branch: string; session: Session; closeUnheard: () => void }> {
    const { branch, session } = await pushed();
    await ask(session);
    await pullRequestThat(world, branch, "PullRequestOpened");
    const closeUnheard = (): void => {
      Object.assign(pullsOf(world, branch)[0]!, { state: "closed", updated_at: "2036-05-05T10:00:00Z" });
    };
    return { branch, session, closeUnheard };
  }

  it("is read from GitHub, although no event told of the change", async () => {
    const { branch, session, closeUnheard } = await opened();
    closeUnheard();
    const { status } = await followed(branch, await ask(session));
    expect(status).toMatchObject({ githubState: "Closed", updateTime: "2036-05-05T10:00:00Z" });
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("waits for GitHub where that is away", async () => {
    const { branch, session, closeUnheard } = await opened();
    closeUnheard();
    const failing = { left: 2 };
    world.github.fault = (route) =>
      route.startsWith("GET /repos/acme/api/pulls/") && failing.left-- > 0 ? "error" : undefined;
    expect((await followed(branch, await ask(session))).status?.githubState).toBe("Closed");
    expect(failing.left).toBeLessThan(0);
  });

  it("stays as it was where GitHub has the pull request no more, and Ready says so", async () => {
    const { branch, session } = await opened();
    world.github.pulls.splice(world.github.pulls.indexOf(pullsOf(world, branch)[0]!), 1);
    const value = await ask(session);
    const gone = await followed(branch, value);
    expect(gone.status?.githubState).toBe("Draft");
    expect(conditionOf(gone, "Ready")).toMatchObject({
      status: "True",
      reason: "PullRequestOpened",
      message: expect.stringContaining(`Its state is as it was before ${value}`) as unknown,
    });
  });
});

it("a connector that is killed after any step leaves one pull request, and its state", async () => {
  const act = async (): Promise<object> => {
    const { branch, session } = await pushed();
    await ask(session);
    await pullRequestThat(world, branch, "PullRequestOpened");
    Object.assign(pullsOf(world, branch)[0]!, { state: "closed", updated_at: "2036-05-05T10:00:00Z" });
    const { status } = await followed(branch, await ask(session));
    return { pulls: pullsOf(world, branch).length, state: status?.githubState };
  };
  const watch = watchGitHubSteps(world);
  const leader = await killAfterEachStep(world, { watch, act, want: { pulls: 1, state: "Closed" }, least: 4 });
  leader.kill();
  await world.forgetLeader();
});
