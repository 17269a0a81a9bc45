import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Prompt, Session } from "../../src/api/v1alpha1/index.ts";
import { comment, openIssue, saidAt } from "../apiserver/connector/github-world.ts";
import { review } from "../apiserver/connector/pull-request-world.ts";
import { githubHeaders } from "../support/github-events.ts";
import type { GitHubServer } from "../support/github-model.ts";
import { startGitHubServer } from "../support/github-server.ts";
import { until } from "../support/kube.ts";
import { addressForPods } from "./support/address-for-pods.ts";
import { installConnector, makeIntegration, removeConnector } from "./support/connector.ts";
import { openEntrance } from "./support/delivery.ts";
import { askGit, serveAlsoAs } from "./support/git-evidence.ts";
import { tableRows } from "./support/table.ts";
import { repositoryName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { kubectl } from "./support/workbench.ts";

// From a mention to a fix of what its review says: the connector as the chart installs it, a real git server, and an agent in a sandbox
// pod that pushes to it; the API of GitHub alone is a stand-in, which knows by name which branches are pushed. Other files find the
// release as it was.

const repository = "acme/api";
const branch = "runwright/login";
const signingSecret = "planted-signing-secret";
const integration = "github";

/** Notes in a file what it was asked for, pushes that, and says how much it was. */
const fixingAgent = `
  set -e
  case "$(cat)" in
    *"name the cause"*) subject='Name the cause' ;;
    *) subject='Fix the login' ;;
  esac
  echo "$subject" >> work.txt
  git add work.txt
  git commit --quiet --message="$subject"
  git push --quiet origin HEAD:refs/heads/${branch}
  printf '{"type":"result","summary":"Work so far: %s.","branch":"${branch}","commit":"%s"}\\n' \
    "$(wc -l < work.txt)" "$(git rev-parse HEAD)"`;

let stage: Stage;
let tenant: Tenant;
let github: GitHubServer;
let entrance: Awaited<ReturnType<typeof openEntrance>>;

beforeAll(async () => {
  stage = await openStage("github");
  github = await startGitHubServer(addressForPods());
  github.installation.events.push("pull_request", "pull_request_review");
  for (const one of ["main", branch]) github.branches.add(`${repository}:${one}`);
  await installConnector(stage, [`connector.githubURL=${github.url}`]);
  entrance = await openEntrance(stage.bench);
  const git = { ...stage.git, url: await serveAlsoAs(stage.bench, stage.git, repository) };
  tenant = await makeTenant({ ...stage, git }, { command: ["bash", "-c", fixingAgent] });
  const { app, installation } = github;
  await makeIntegration(stage, tenant, {
    name: integration,
    secrets: { "signing-secret": signingSecret, "private-key": app.privateKey },
    spec: {
      type: "GitHub",
      github: {
        appID: app.id,
        slug: app.slug,
        installationID: installation.id,
        repositories: [{ name: repositoryName }],
        pullRequests: "Draft",
        autofix: { mode: "Enabled" },
      },
    },
  });
});

afterAll(async () => {
  entrance.close();
  await tenant.close();
  await removeConnector(stage);
  await github.close();
  await stage.close();
});

it("opens a pull request for a mention, and has the same sandbox push what its review asks for", async () => {
  const issue = openIssue({ github });
  await send(comment({ github }, issue, "@helper fix the login"));
  expect(await answersAt(issue)).toEqual([expect.stringContaining("Work so far: 1.")]);
  await until("the pull request is open", async () => (await pullRequestRow())?.READY === "True");
  expect(github.pulls).toMatchObject([{ repository, head: branch, base: "main", state: "open", draft: true }]);
  const [{ number }] = github.pulls as [(typeof github.pulls)[number]];

  const asked = review({ github }, number, { state: "CHANGES_REQUESTED", comments: ["Please name the cause."] });
  const deliveryId = randomUUID();
  expect(await send(asked, deliveryId)).toMatchObject({ triggered: 1, skipped: 0 });
  expect(await send(asked, deliveryId)).toMatchObject({ triggered: 0, skipped: 1 });
  expect(await answersAt(number)).toEqual([expect.stringContaining("Work so far: 2.")]);

  const { bench, git } = stage;
  expect(await lines(askGit(bench, git, ["log", "--format=%s", `main..${branch}`]))).toEqual([
    "Name the cause",
    "Fix the login",
  ]);
  expect(await lines(askGit(bench, git, ["show", `${branch}:work.txt`]))).toEqual(["Fix the login", "Name the cause"]);

  const { namespace } = tenant;
  const sessions = await bench.client.list(Session, { namespace });
  expect(sessions.items).toHaveLength(1);
  expect(sessions.items[0]?.status?.sandbox?.attempt).toBe(1);
  const prompts = await bench.client.list(Prompt, { namespace });
  expect(prompts.items.map(({ spec }) => spec.origin).sort()).toEqual(["PullRequestFeedback", undefined]);
  await until("the answer is noted", async () => (await pullRequestRow())?.PROMPTED === "1");
  expect(await pullRequestRow()).toMatchObject({
    REPOSITORY: repository,
    NUMBER: String(number),
    STATE: "Draft",
    "LAST SKIP": "",
    SESSION: sessions.items[0]?.metadata.name,
    REASON: "PullRequestOpened",
  });
  expect([saidAt({ github }, issue), saidAt({ github }, number)].map(({ length }) => length)).toEqual([1, 1]);
  expect(github.refused).toEqual([]);
});

/** Sends what GitHub sends; gives the ingress's answer. */
async function send(
  { event, type }: { event: object; type: string },
  deliveryId: string = randomUUID(),
): Promise<unknown> {
  const bytes = new TextEncoder().encode(JSON.stringify(event));
  const url = `${entrance.baseUrl}/integrations/${tenant.namespace}.${integration}/github`;
  const headers = githubHeaders(bytes, { type, deliveryId, secret: signingSecret });
  const answer = await fetch(url, { method: "POST", headers, body: bytes });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** What the App has answered at an issue or pull request, once there is something. */
async function answersAt(number: number): Promise<string[]> {
  await until("it is answered", () => saidAt({ github }, number).length > 0);
  return saidAt({ github }, number).map(({ body }) => body);
}

/** The only pull request as kubectl shows it; undefined before there is one. */
async function pullRequestRow(): Promise<Record<string, string> | undefined> {
  const rows = tableRows(await kubectl(stage.bench, ["get", "pullrequests", "-n", tenant.namespace]));
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0];
}

async function lines(printed: Promise<string>): Promise<string[]> {
  return (await printed).trim().split("\n");
}
