import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { githubApp } from "../../../../test/support/github-app.ts";
import type { GitHubPull } from "../../../../test/support/github-pulls.ts";
import type { GitHubFault, GitHubServer } from "../../../../test/support/github-model.ts";
import { startGitHubServer } from "../../../../test/support/github-server.ts";
import { ProviderError } from "../../provider-error.ts";
import { type OpenedPullRequest, openPullRequest, type WantedPullRequest } from "./open.ts";

const repository = "acme/api";
const calledBefore = { callTime: "2026-05-04T10:00:00Z" };
let server: GitHubServer;
let app: ReturnType<typeof githubApp>;

beforeAll(async () => {
  server = await startGitHubServer();
  app = githubApp(server);
});
afterAll(() => server.close());
afterEach(() => {
  server.fault = undefined;
  server.after = undefined;
  server.pulls.splice(0);
  server.branches.clear();
  server.calls.splice(0);
});

function open(change: Partial<WantedPullRequest> = {}): Promise<OpenedPullRequest> {
  for (const branch of ["fix", "main", "next"]) server.branches.add(`${repository}:${branch}`);
  const wanted: WantedPullRequest = {
    id: "p1",
    repository,
    head: "fix",
    base: "main",
    title: "Fix the login",
    body: "It was slow.",
    isDraft: false,
    ...change,
  };
  return openPullRequest(app, app.integration, wanted);
}

/** One that is there already. */
function there(change: Partial<GitHubPull> = {}): GitHubPull {
  const pull: GitHubPull = {
    number: server.pulls.length + 1,
    repository,
    headRepository: repository,
    head: "fix",
    base: "main",
    title: "Theirs",
    body: null,
    user: { id: 11, login: "ann" },
    state: "open",
    draft: false,
    ...change,
  };
  server.pulls.push(pull);
  return pull;
}

const ours: Partial<GitHubPull> = {
  user: { id: 9, login: "helper[bot]" },
  body: "It was slow.\n\n<!-- runwright:p1 -->",
};
const creates = (): number => server.calls.filter((route) => route.startsWith("POST /repos")).length;
const failCreate = (fault: GitHubFault): void => {
  server.fault = (route) => (route.startsWith("POST /repos") ? fault : undefined);
};

describe("a branch without a pull request", () => {
  it("gets one", async () => {
    const { pullRequest, isAdopted } = await open({ isDraft: true });
    expect(isAdopted).toBe(false);
    expect(pullRequest).toMatchObject({ number: 1, html_url: "https://github.com/acme/api/pull/1", draft: true });
    expect(server.pulls).toEqual([
      {
        ...ours,
        number: 1,
        repository,
        headRepository: repository,
        head: "fix",
        base: "main",
        title: "Fix the login",
        state: "open",
        draft: true,
      },
    ]);
  });

  it("gets one whose texts GitHub takes, and that mentions no person", async () => {
    await open({ title: `@ann ${"🙂".repeat(300)}`, body: `@ann ${"🙂".repeat(70_000)}` });
    const { title = "", body } = server.pulls[0] ?? {};
    expect(Array.from(title)).toHaveLength(201);
    expect(Array.from(body ?? "").length).toBeLessThanOrEqual(65_536);
    expect(title.startsWith("@\u200Bann 🙂")).toBe(true);
    expect(body?.startsWith("@\u200Bann 🙂")).toBe(true);
  });

  it.each<[string, Partial<GitHubPull>]>([
    ["one into another branch", { base: "next" }],
    ["one from another branch", { head: "fix2" }],
    ["one from a branch that differs in case", { head: "Fix" }],
    ["one that is closed", { state: "closed" }],
    ["one from the branch of a fork", { headRepository: "eve/api" }],
    ["one from the branch of a fork of the same owner", { headRepository: "acme/api-fork" }],
  ])("gets one beside %s", async (_name, change) => {
    const other = there(change);
    const { pullRequest, isAdopted } = await open();
    expect({ number: pullRequest.number, isAdopted }).toEqual({ number: other.number + 1, isAdopted: false });
    expect(server.pulls).toHaveLength(2);
  });
});

describe("one that is open", () => {
  it("is adopted, also where the repository's name has another case", async () => {
    const { number } = there({ headRepository: "Acme/api" });
    for (const name of [repository, "ACME/api"]) {
      const { pullRequest, isAdopted } = await open({ repository: name });
      expect({ number: pullRequest.number, isAdopted }).toEqual({ number, isAdopted: true });
    }
    expect(creates()).toBe(0);
  });

  it("is adopted although ten newer ones are of other branches", async () => {
    const { number } = there();
    for (let other = 0; other < 10; other += 1) there({ head: `other-${other}` });
    expect((await open()).pullRequest.number).toBe(number);
    expect(creates()).toBe(0);
  });

  it("is adopted where it was opened while ours was being opened", async () => {
    server.after = (route) => {
      if (route.startsWith("GET /repos") && server.pulls.length === 0) there();
    };
    const { pullRequest, isAdopted } = await open();
    expect({ number: pullRequest.number, isAdopted }).toEqual({ number: 1, isAdopted: true });
    expect(creates()).toBe(1);
  });
});

describe("after a call whose outcome is not known", () => {
  it.each<{ fault: GitHubFault; carriedOut: number }>([
    { fault: "lose", carriedOut: 1 },
    { fault: "drop", carriedOut: 0 },
    { fault: "html", carriedOut: 0 },
    { fault: "error", carriedOut: 0 },
  ])("($fault) there is one in the end", async ({ fault, carriedOut }) => {
    failCreate(fault);
    await expect(open()).rejects.toMatchObject({ failure: "unavailable" });
    expect(server.pulls).toHaveLength(carriedOut);
    server.fault = undefined;
    const { isAdopted } = await open(calledBefore);
    expect(isAdopted).toBe(false);
    expect(server.pulls).toHaveLength(1);
    expect(creates()).toBe(2 - carriedOut);
  });

  it.each<[string, Partial<GitHubPull>[]]>([
    ["closed it", [{ ...ours, state: "closed" }]],
    ["had it go into another branch", [{ ...ours, base: "next" }]],
    ["closed it and opened another", [{ ...ours, state: "closed" }, {}]],
  ])("ours is found although a person %s since", async (_name, changes) => {
    for (const change of changes) there(change);
    const { pullRequest, isAdopted } = await open(calledBefore);
    expect({ number: pullRequest.number, isAdopted }).toEqual({ number: 1, isAdopted: false });
    expect(creates()).toBe(0);
  });

  it.each<[string, Partial<GitHubPull>]>([
    ["another of ours", { ...ours, body: "<!-- runwright:p2 -->", state: "closed" }],
    ["a person's with our mark", { body: "<!-- runwright:p1 -->", state: "closed" }],
    ["one without a text", { state: "closed" }],
    ["one that is open into another branch", { base: "next" }],
    ["one of another branch with our mark", { ...ours, head: "fix2" }],
  ])("%s is not taken for it", async (_name, change) => {
    there(change);
    expect((await open(calledBefore)).pullRequest.number).toBe(2);
  });

  it("none is opened where the search fails", async () => {
    server.fault = (route) => (route.startsWith("GET /repos") ? "error" : undefined);
    await expect(open(calledBefore)).rejects.toMatchObject({ failure: "unavailable" });
    expect(creates()).toBe(0);
  });
});

describe("a refusal", () => {
  it.each<[string, Partial<WantedPullRequest>]>([
    ["of a branch that was not pushed", { head: "nowhere" }],
    ["of a base that is not there", { base: "nowhere" }],
    ["of a title of white space", { title: " " }],
  ])("%s is final", async (_name, change) => {
    const error: unknown = await open(change).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ failure: "refused", message: "GitHub answered create-pull-request with 422" });
  });
});
