import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Integration, PullRequest } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import type { GitHubPull } from "../../support/github-pulls.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { makeGitHubIntegration, sendGitHub } from "./github-world.ts";
import {
  change,
  changed,
  makeSession,
  newBranch,
  openedByPerson,
  pullRequestsOf,
  pullRequestThat,
  pullsOf,
  push,
} from "./pull-request-world.ts";
import { World } from "./world.ts";

const dayMs = 86_400_000;
let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world, { pullRequests: "Draft" });
  await world.startConnector();
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
});

/** Waits until what was pushed before was looked at. */
async function looked(): Promise<void> {
  const branch = newBranch(world);
  await push(world, await makeSession(world), branch);
  await pullRequestThat(world, branch, "PullRequestOpened");
}

describe("a branch that an agent pushed", () => {
  it("gets a pull request of its own, which names its session", async () => {
    const branch = newBranch(world);
    const session = await makeSession(world);
    await push(world, session, branch);
    const { metadata, spec, status } = await pullRequestThat(world, branch, "PullRequestOpened");
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Session", uid: session.metadata.uid }]);
    expect(spec).toEqual({
      integrationRef: { name: integration.metadata.name, uid: integration.metadata.uid },
      sessionRef: { name: session.metadata.name, uid: session.metadata.uid },
      repositoryRef: { name: "api" },
      repository: "acme/api",
      head: branch,
      base: "main",
      title: "Fix the login",
      body: "It was slow.",
      openAs: "Draft",
    });
    const [pull] = pullsOf(world, branch);
    expect(pull).toMatchObject({ title: "Fix the login", draft: true, base: "main", user: { login: "helper[bot]" } });
    expect(pull!.body).toBe(`It was slow.\n\n<!-- runwright:${metadata.uid} -->`);
    const url = `https://github.com/acme/api/pull/${pull!.number}`;
    expect(status).toMatchObject({ repositoryID: 22, number: pull!.number, url, githubState: "Draft" });
    expect(status).not.toHaveProperty("callTime");
  });

  it("is found by the name of its session", async () => {
    const [branch, other] = [newBranch(world), newBranch(world)];
    const session = await makeSession(world);
    await push(world, session, branch);
    await push(world, await makeSession(world), other);
    for (const one of [branch, other]) await pullRequestThat(world, one, "PullRequestOpened");
    const fieldSelector = `spec.sessionRef.name=${session.metadata.name ?? ""}`;
    const { items } = await world.client.list(PullRequest, { namespace: world.namespace, fieldSelector });
    expect(items.map(({ spec }) => spec.head)).toEqual([branch]);
  });

  it("goes into the branch that the session began with", async () => {
    const branch = newBranch(world);
    world.github.branches.add("acme/api:next");
    await push(
      world,
      await makeSession(world, { target: { repositoryRefs: [{ name: "api", branch: "next" }] } }),
      branch,
    );
    expect((await pullRequestThat(world, branch, "PullRequestOpened")).spec.base).toBe("next");
  });

  it("gets a title although the session has none", async () => {
    const branch = newBranch(world);
    await push(world, await makeSession(world, { title: "  " }), branch);
    expect((await pullRequestThat(world, branch, "PullRequestOpened")).spec.title).toBe(branch);
  });

  it("has the pull request that a person opened for it", async () => {
    const branch = newBranch(world);
    const { number } = openedByPerson(world, branch);
    await push(world, await makeSession(world), branch);
    const { status } = await pullRequestThat(world, branch, "PullRequestAdopted");
    expect(status).toMatchObject({ number, githubState: "Open" });
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("has one although it is pushed again, and by another session", async () => {
    const branch = newBranch(world);
    const first = await makeSession(world);
    await push(world, first, branch);
    await pullRequestThat(world, branch, "PullRequestOpened");
    await push(world, first, branch);
    await push(world, await makeSession(world), branch);
    await looked();
    const all = await pullRequestsOf(world, branch);
    expect(all.map(({ spec }) => spec.sessionRef.uid)).toEqual([first.metadata.uid]);
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("has one for each of two branches", async () => {
    const [one, two] = [newBranch(world), newBranch(world)];
    const session = await makeSession(world);
    await push(world, session, one);
    await push(world, session, two);
    const numbers = await Promise.all([one, two].map((branch) => pullRequestThat(world, branch, "PullRequestOpened")));
    expect(new Set(numbers.map(({ status }) => status?.number)).size).toBe(2);
  });

  it("gets one just before it is a day old", async () => {
    const branch = newBranch(world);
    await push(world, await makeSession(world), branch, { agoMs: dayMs - 60_000 });
    await pullRequestThat(world, branch, "PullRequestOpened");
  });
});

describe("no pull request is opened", () => {
  it.each<[string, { branch?: string; session?: object; agoMs?: number }]>([
    ["for the branch that the session began with", { branch: "main" }],
    ["for a branch that was pushed a day ago", { agoMs: dayMs }],
    ["in a repository that no Integration names", { session: { target: { repositoryRefs: [{ name: "web" }] } } }],
    ["without a repository", { session: { target: {} } }],
  ])("%s", async (_name, { branch = newBranch(world), session, agoMs = 0 }) => {
    await world.makeRepository("web", "https://github.com/acme/web.git");
    await push(world, await makeSession(world, session), branch, { agoMs });
    await looked();
    expect(await pullRequestsOf(world, branch)).toEqual([]);
  });

  it("where GitHub refuses it; that says so, and is not tried again", async () => {
    const branch = newBranch(world);
    world.github.branches.delete(`acme/api:${branch}`);
    await push(world, await makeSession(world), branch);
    const refused = await pullRequestThat(world, branch, "PullRequestRefused");
    expect(conditionOf(refused, "Ready")?.message).toMatch(/^GitHub answered create-pull-request with 422\. See that/);
    expect(refused.status).not.toHaveProperty("callTime");
    world.github.refused.splice(0);
    await looked();
    expect(pullsOf(world, branch)).toEqual([]);
  });

  it("once the Repository was taken from the Integration", async () => {
    const branch = newBranch(world);
    const serve = async (name: string): Promise<void> =>
      world.known(
        await world.client.patch(Integration, keyOf(integration), { spec: { github: { repositories: [{ name }] } } }),
      );
    world.github.fault = (route) => (route.startsWith("POST /repos/acme/api/pulls") ? "error" : undefined);
    await push(world, await makeSession(world), branch);
    await until("a call has failed", async () => (await pullRequestsOf(world, branch))[0]?.status?.tries === 1);
    await serve("web");
    try {
      world.github.fault = undefined;
      const refused = await pullRequestThat(world, branch, "PullRequestRefused");
      expect(conditionOf(refused, "Ready")?.message).toMatch(/^Repository api is none of github\.repositories of /);
      expect(pullsOf(world, branch)).toEqual([]);
    } finally {
      await serve("api");
    }
  });
});

it("a call whose answer was lost is repeated after 10 seconds, and opens no second one", async () => {
  const branch = newBranch(world);
  world.github.fault = (route) => (route.startsWith("POST /repos/acme/api/pulls") ? "lose" : undefined);
  await push(world, await makeSession(world), branch);
  await until("a call has failed", async () => (await pullRequestsOf(world, branch))[0]?.status?.tries === 1);
  const [pending] = await pullRequestsOf(world, branch);
  expect(conditionOf(pending, "Ready")?.reason).toBe("PullRequestPending");
  world.github.fault = undefined;
  const { status } = await pullRequestThat(world, branch, "PullRequestOpened");
  expect(Object.keys(status ?? {})).not.toContain("tries");
  expect(pullsOf(world, branch)).toHaveLength(1);
});

describe("the state of a pull request", () => {
  const time = (second: number): string => `2026-05-05T10:00:0${second}Z`;

  async function opened(): Promise<{ pull: GitHubPull; state: () => Promise<string | undefined> }> {
    const branch = newBranch(world);
    await push(world, await makeSession(world), branch);
    const key = keyOf(await pullRequestThat(world, branch, "PullRequestOpened"));
    const [pull] = pullsOf(world, branch);
    return {
      pull: pull!,
      state: async () => (await world.client.get<PullRequest>(PullRequest, key)).status?.githubState,
    };
  }

  it("follows GitHub's events, and no older one moves it back", async () => {
    const { pull, state } = await opened();
    const settled = await change(world, integration, pull, { draft: false, updated_at: time(1) });
    expect(conditionOf(settled, "Succeeded")?.reason).toBe("PullRequestUpdated");
    expect(await state()).toBe("Open");
    await change(world, integration, pull, { state: "closed", updated_at: time(3) });
    expect(await state()).toBe("Closed");
    await change(world, integration, pull, { state: "open", updated_at: time(2) });
    expect(await state()).toBe("Closed");
    await change(world, integration, pull, { state: "closed", updated_at: time(4), merged_at: time(4) });
    expect(await state()).toBe("Merged");
  });

  it("waits for GitHub where that is away", async () => {
    const { pull, state } = await opened();
    const failing = { left: 2 };
    world.github.fault = (route) => {
      const isRead = route === `GET /repos/acme/api/pulls/${pull.number}`;
      return isRead && failing.left-- > 0 ? "error" : undefined;
    };
    await change(world, integration, pull, { state: "closed", updated_at: time(1) });
    expect(await state()).toBe("Closed");
    expect(failing.left).toBeLessThan(0);
  });

  it("of a pull request that no session owns is not asked for", async () => {
    const event = await change(world, integration, openedByPerson(world, newBranch(world)), { state: "closed" });
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "UntrackedPullRequest" });
    expect(event.status).toMatchObject({ triggered: 0, steered: 0, skipped: 1 });
  });

  it.each<[string, Parameters<typeof changed>[2]]>([
    ["a change that does not move it", { action: "labeled" }],
    ["a pull request of a fork", { headRepository: 23 }],
  ])("%s is not stored", async (_name, what) => {
    const { event, type } = changed(world, 1, what);
    const answer = await sendGitHub(world, integration, event, { type });
    expect(answer).toMatchObject({ status: 200, body: { triggered: 0 } });
  });

  it("is of no interest to an Integration that opens none", async () => {
    const other = await makeGitHubIntegration(world);
    const { event, type } = changed(world, 1);
    expect(await sendGitHub(world, other, event, { type })).toMatchObject({ status: 200, body: { triggered: 0 } });
    expect(await world.events(other)).toEqual([]);
  });
});
