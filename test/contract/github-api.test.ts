import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureGitHubDescription } from "../../hack/toolchain/github-description.ts";
import * as calls from "../../src/connector/github/calls.ts";
import type { GitHubCall } from "../../src/connector/github/github-request.ts";
import { githubApp } from "../support/github-app.ts";
import type { GitHubServer } from "../support/github-model.ts";
import { startGitHubServer } from "../support/github-server.ts";
import { type OpenApiDocument, type OpenApiOperation, OpenApiSchemas } from "../support/openapi-schemas.ts";

const repository = "acme/api";
const page = { page: 1, perPage: 100 };
const installationId = 4_711;

type Name = Exclude<keyof typeof calls, "writers">;

/** All calls of the connector's, with values that the stand-in has an answer for. */
const all: Readonly<Record<Name, readonly GitHubCall<unknown>[]>> = {
  readIssue: [calls.readIssue(7)],
  readPullRequest: [calls.readPullRequest(8), calls.readPullRequest(9)],
  listPullRequests: [
    calls.listPullRequests({ head: "acme:fix", base: "main", state: "open", page: 1, perPage: 10 }),
    calls.listPullRequests({ head: "acme:fix", base: undefined, state: "all", page: 1, perPage: 10 }),
  ],
  readWholePullRequest: [calls.readWholePullRequest(9)],
  createPullRequest: [
    calls.createPullRequest({ head: "new", base: "main", title: "Fix it", body: "It was slow.", draft: true }),
  ],
  readComment: [calls.readComment(1_001)],
  readReviewComment: [calls.readReviewComment(1_002)],
  readReview: [calls.readReview(9, 5)],
  listLineComments: [calls.listLineComments(9, page)],
  listReviewComments: [calls.listReviewComments(9, 5, page)],
  readLineComment: [calls.readLineComment(1_002)],
  listComments: [calls.listComments(7, page), calls.listComments(7, { ...page, since: "2026-05-04T10:15:00Z" })],
  createComment: [calls.createComment(7, "Done.")],
  createReaction: [
    calls.createReaction({ id: 1_001, isReviewComment: false }),
    calls.createReaction({ id: 1_002, isReviewComment: true }),
  ],
  readPermission: [calls.readPermission("ann")],
  readInstallation: [calls.readInstallation(installationId)],
  listDeliveries: [calls.listDeliveries(100, undefined), calls.listDeliveries(100, "v1_1")],
  redeliver: [calls.redeliver(12_345)],
};
const named = Object.entries(all).flatMap(([name, made]) => made.map((call) => ({ name, call })));
const tokenRoute = "POST /app/installations/{installation_id}/access_tokens";

let schemas: OpenApiSchemas;
let server: GitHubServer;

beforeAll(async () => {
  const path = await ensureGitHubDescription(progressOnStderr);
  schemas = new OpenApiSchemas(JSON.parse(await readFile(path, "utf8")) as OpenApiDocument);
  server = await startGitHubServer();
  fill(server);
});
afterAll(() => server.close());

function fill(github: GitHubServer): void {
  const user = { id: 11, login: "ann" };
  const bot = { id: 9, login: "helper[bot]" };
  github.issues.push(
    { repository, number: 7, title: "The login fails", body: null },
    { repository, number: 8, title: "Fix", body: "b", pull: { head: "fix", base: "main", headRepository: repository } },
  );
  github.say({ repository, number: 7, body: "@helper fix it", user });
  const review = { path: "a.ts", line: 3, original_line: 3, diff_hunk: "@@ -1 +1 @@", pull_request_review_id: 5 };
  github.say({ repository, number: 9, body: "Not so.", user, review });
  const pull = { repository, headRepository: repository, head: "fix", base: "main", title: "t", body: null } as const;
  github.pulls.push({
    ...pull,
    number: 9,
    user: bot,
    state: "closed",
    draft: false,
    merged_at: "2026-05-04T10:15:00Z",
  });
  github.reviews.push({ id: 5, repository, number: 9, body: "", state: "CHANGES_REQUESTED", user });
  for (const branch of ["new", "main"]) github.branches.add(`${repository}:${branch}`);
  for (const id of ["12344", "12345"]) {
    github.deliveries.push({
      id,
      guid: "0b989ba4-242f-11e5-81e1-c7b6966d2516",
      delivered_at: "2026-05-04T10:15:00Z",
      status_code: 502,
      event: "issues",
      installation_id: installationId,
    });
  }
}

function operationOf(route: string): OpenApiOperation {
  const operation = schemas.operation(route);
  if (!operation) throw new Error(`GitHub describes no ${route}`);
  return operation;
}

/** The described route of a call that came over the wire. */
function routeOf(method: string, path: string): string {
  const routes = [...named.map(({ call }) => call.route), tokenRoute];
  const found = routes.find((route) => {
    const pattern = route.replaceAll(/\{[^}]+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(`${method} ${path}`);
  });
  if (found === undefined) throw new Error(`no call has the route ${method} ${path}`);
  return found;
}

it("all calls are in the table", () => {
  expect(Object.keys(all).sort()).toEqual(
    Object.keys(calls)
      .filter((name) => name !== "writers")
      .sort(),
  );
});

describe("what GitHub describes", () => {
  it.each(named)("$name: route and parameters", ({ call: { route, parameters } }) => {
    const { parameters: known, fields } = schemas.names(operationOf(route));
    const unknown = Object.keys(parameters).filter((name) => !known.has(name) && !fields.has(name));
    expect(unknown).toEqual([]);
  });

  it.each(named)("$name: the examples of its answers are read", ({ call: { route, answer } }) => {
    const examples = schemas.examples(operationOf(route));
    expect(examples.size).toBeGreaterThan(0);
    for (const [name, example] of examples) {
      expect({ name, ...answer.safeParse(example) }).toMatchObject({ name, success: true });
    }
  });
});

describe("over the wire", () => {
  beforeAll(async () => {
    const { github, integration } = githubApp(server);
    for (const { call } of named) {
      if (call.route.startsWith("GET /app/") || call.route.startsWith("POST /app/"))
        await github.callAsApp(integration, call);
      else await github.call(integration, repository, call);
    }
  });

  it("each call was answered, and one got a token", () => {
    const seen = server.answered.map(({ method, url }) => routeOf(method, url.pathname));
    expect(new Set(seen)).toEqual(new Set([...named.map(({ call }) => call.route), tokenRoute]));
    expect(server.answered.filter(({ status }) => status >= 300)).toEqual([]);
  });

  it("bodies of requests and parameters of queries are as described", () => {
    for (const { method, url, sent } of server.answered) {
      const route = routeOf(method, url.pathname);
      const operation = operationOf(route);
      const { parameters } = schemas.names(operation);
      expect([...url.searchParams.keys()].filter((name) => !parameters.has(name))).toEqual([]);
      const isEmpty = JSON.stringify(sent) === "{}";
      expect({ route, problems: isEmpty ? [] : schemas.requestProblems(operation, sent) }).toEqual({
        route,
        problems: [],
      });
    }
  });

  it("the stand-in's answers have fields and values of GitHub's alone", () => {
    for (const { method, url, status, body } of server.answered) {
      const route = routeOf(method, url.pathname);
      const problems = schemas.answerProblems(operationOf(route), status, body);
      expect({ route, problems }).toEqual({ route, problems: [] });
    }
  });

  it("a field that GitHub has not, a value of another type and a missing field of a request are found", () => {
    const issue = operationOf("GET /repos/{owner}/{repo}/issues/{issue_number}");
    expect(schemas.answerProblems(issue, 200, { number: 7, planted: 1 })).not.toEqual([]);
    expect(schemas.answerProblems(issue, 200, { number: "7" })).not.toEqual([]);
    expect(schemas.answerProblems(issue, 299, {})).not.toEqual([]);
    const create = operationOf("POST /repos/{owner}/{repo}/pulls");
    expect(schemas.requestProblems(create, { head: "fix", title: "t" })).not.toEqual([]);
  });
});
