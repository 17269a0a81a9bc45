import { afterAll, beforeAll, expect, it } from "vitest";

import { annotations, Prompt, Session } from "../../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { openedAsDraft, storeEndedPrompt, storePullRequest } from "../../support/pushed-branches.ts";

let client: KubeClient;
let disconnect: () => Promise<void>;
let namespace: string;
beforeAll(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  ({ client } = connection);
  disconnect = () => connection.close();
  namespace = await newNamespace(client, "pull-requests");
});
afterAll(() => disconnect());

/** Half a minute is over in a third of a second. */
const hastyClock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 90 };

const create = (session: string, options: { clock?: typeof systemClock } = {}): Promise<CliResult> =>
  runPlugin(["pull-request", "create", `${namespace}/${session}`, "--kubeconfig", testCluster().kubeconfig], options);

const makeSession = (name: string, repository = "api"): Promise<Session> =>
  client.create(Session, {
    metadata: { name, namespace },
    spec: { target: { repositoryRefs: [{ name: repository }] } },
  } as Session);

/** A Prompt that ended in this minute of an hour, with the branch that the agent reported. */
function ended(session: Session, branch: string | undefined, minute = 0): Promise<Prompt> {
  const name = `${session.metadata.name ?? ""}-${minute}`;
  return storeEndedPrompt(client, session, { name, branch, time: new Date(Date.UTC(2026, 4, 4, 10, minute)) });
}

const requestOn = async (prompt: Prompt): Promise<string | undefined> =>
  (await client.get(Prompt, keyOf(prompt))).metadata.annotations?.[annotations.pullRequestRequestedAt];

async function asked(prompt: Prompt): Promise<string> {
  await until("it is asked for", async () => (await requestOn(prompt)) !== undefined);
  return (await requestOn(prompt))!;
}

it("asks for the branch that was pushed last, and prints the pull request once its state is that of the request", async () => {
  const session = await makeSession("fix");
  const first = await ended(session, "fix-1", 1);
  const last = await ended(session, "fix-2", 3);
  await ended(session, undefined, 5);
  const answer = create("fix");
  const requestedAt = await asked(last);
  const status = { ...openedAsDraft, requestedAt };
  await storePullRequest(client, session, { head: "fix-2", reason: "PullRequestOpened", status });
  expect(await answer).toMatchObject({ status: 0, err: "" });
  expect((await answer).out).toBe(
    "acme/api#17 of Session fix, Draft: https://github.com/acme/api/pull/17\nIt is PullRequestOpened\n",
  );
  expect(await requestOn(first)).toBeUndefined();
});

it("says why GitHub refused it", async () => {
  const session = await makeSession("refused");
  const prompt = await ended(session, "refused-1");
  const answer = create("refused");
  const status = { requestedAt: await asked(prompt) };
  const { metadata } = await storePullRequest(client, session, {
    head: "refused-1",
    reason: "PullRequestRefused",
    status,
  });
  const { status: exitCode, err } = await answer;
  expect(exitCode).toBe(1);
  expect(err).toContain(`PullRequest ${namespace}/${metadata.name!} was not opened: It is PullRequestRefused`);
});

it("prints that of another session, which pushed the branch before, and asks for nothing", async () => {
  const owner = await makeSession("owner");
  await storePullRequest(client, owner, { head: "shared", reason: "PullRequestAdopted", status: openedAsDraft });
  const prompt = await ended(await makeSession("second"), "shared");
  expect((await create("second")).out).toContain("acme/api#17 of Session owner, Draft");
  expect(await requestOn(prompt)).toBeUndefined();
});

it("takes the same branch of another repository for another one", async () => {
  const owner = await makeSession("of-api");
  await storePullRequest(client, owner, { head: "same", reason: "PullRequestOpened", status: openedAsDraft });
  const prompt = await ended(await makeSession("of-docs", "docs"), "same");
  const { err } = await create("of-docs", { clock: hastyClock });
  expect(err).toContain("nothing was made for branch same");
  expect(await requestOn(prompt)).toBeDefined();
});

it("says what has to be there where nothing was made", async () => {
  const prompt = await ended(await makeSession("alone"), "alone-1");
  const { status, err } = await create("alone", { clock: hastyClock });
  expect(status).toBe(1);
  expect(err).toContain("nothing was made for branch alone-1 within 30 seconds");
  expect(err).toContain(`kubectl runwright integrations -n ${namespace}`);
  expect(await requestOn(prompt)).toBeDefined();
});

it("says so where no prompt has ended with a branch, and where there is no such session", async () => {
  await ended(await makeSession("idle"), undefined);
  expect(await create("idle")).toMatchObject({
    status: 1,
    err: expect.stringContaining("ended with a branch yet") as string,
  });
  expect(await create("none")).toMatchObject({
    status: 1,
    err: expect.stringContaining("there is no Session") as string,
  });
});
