import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  annotations,
  Environment,
  Integration,
  Prompt,
  Repository,
  Session,
} from "../../../../src/api/v1alpha1/index.ts";
import { makePrompt } from "../../../../src/domain/prompts/make-prompt.ts";
import type { KubeClient } from "../../../../src/kube/client.ts";
import { keyOf } from "../../../../src/lib/resource.ts";
import { testCluster } from "../../../support/cluster.ts";
import type { Fault, SeenRequest } from "../../../support/fault-proxy.ts";
import { clientOf, until } from "../../../support/kube.ts";
import { type Answer, openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import {
  openedAsDraft,
  storeEndedPrompt,
  storeOpeningIntegration,
  storePullRequest,
} from "../../../support/pushed-branches.ts";
import { eventually, find } from "../../../support/runtime-world.ts";

const rights = [ours("prompts", "get", "patch"), ours("pullrequests", "list")];

let kube: ReturnType<typeof clientOf>;
let client: KubeClient;
/** Its gateway waits long enough for what the test does in the connector's place. */
let patient: PeopleWorld;
/** Its gateway waits for half a second, as no connector is there. */
let hasty: PeopleWorld;
const tokens = new Map<PeopleWorld, string>();
let made = 0;

beforeAll(async () => {
  kube = clientOf({ file: testCluster().kubeconfig });
  ({ client } = kube);
  [patient, hasty] = [await openPeopleWorld(), await openPeopleWorld({ answerMs: 60_000, decisionMs: 500 })];
  for (const people of [patient, hasty]) tokens.set(people, await people.caller(rights));
});
afterEach(() => hasty.proxy.decide(undefined));
afterAll(async () => {
  await patient.close();
  await hasty.close();
  await kube.close();
});

/** A session whose prompt ended with a branch, and how it is asked about. */
interface Pushed {
  people: PeopleWorld;
  session: Session;
  prompt: Prompt;
  get: () => Promise<Answer>;
  post: () => Promise<Answer>;
  requestedAt: () => Promise<string | undefined>;
}

async function push(
  people: PeopleWorld,
  branch: string | undefined,
  target: Session["spec"]["target"] = { repositoryRefs: [{ name: "api" }] },
): Promise<Pushed> {
  made += 1;
  const namespace = people.world.tenant;
  const spec = { target, serviceAccountName: "sandbox" } as Session["spec"];
  const session = await client.create(Session, { metadata: { name: `fix-${made}`, namespace }, spec });
  const prompt = await storeEndedPrompt(client, session, { name: `fix-${made}-1`, branch });
  const path = `/sessions/${namespace}.fix-${made}/prompts/fix-${made}-1/pull-request`;
  const send = (method: "GET" | "POST"): Promise<Answer> =>
    people.send(path, { method, token: tokens.get(people) ?? "" });
  const requestedAt = async (): Promise<string | undefined> =>
    (await client.get(Prompt, keyOf(prompt))).metadata.annotations?.[annotations.pullRequestRequestedAt];
  return { people, session, prompt, get: () => send("GET"), post: () => send("POST"), requestedAt };
}

async function asked({ requestedAt }: Pushed): Promise<string> {
  await until("it is asked for", async () => (await requestedAt()) !== undefined);
  return (await requestedAt())!;
}

const none = { branch: null, wish: null, requestedAt: null, obstacle: null, pullRequest: null };

describe("the pull request of a prompt's branch", () => {
  it("is none yet, and is opened when asked where an Integration of the namespace does that", async () => {
    const { get } = await push(patient, "fix/a,b=c");
    const body = { ...none, branch: "fix/a,b=c", wish: "open" };
    expect(await get()).toEqual(
      expect.objectContaining({ status: 200, body: { ...body, obstacle: "no_integration" } }),
    );
    await storeOpeningIntegration(client, hasty.world.tenant);
    expect((await get()).body.obstacle).toBe("no_integration");
    const integration = await storeOpeningIntegration(client, patient.world.tenant);
    expect((await get()).body).toEqual(body);
    await client.patch(Integration, keyOf(integration), { spec: { github: { pullRequests: null } } });
    expect((await get()).body.obstacle).toBe("no_integration");
  });

  it("is none of a prompt without a branch", async () => {
    const { get, post, requestedAt } = await push(patient, undefined);
    expect(await get()).toMatchObject({ status: 200, body: none });
    expect(await post()).toMatchObject({ status: 409, body: { code: "NoBranch" } });
    expect(await requestedAt()).toBeUndefined();
  });

  it("is none of a prompt that has not ended", async () => {
    const { people, session } = await push(patient, undefined);
    const { name = "", namespace = "" } = session.metadata;
    const running = await client.create(Prompt, makePrompt(session, { name: `${name}-2`, text: "Go on." }));
    await client.patchStatus(Prompt, running, { observedGeneration: 1, result: { branch: "fix-early" } });
    const path = `/sessions/${namespace}.${name}/prompts/${name}-2/pull-request`;
    const token = tokens.get(people) ?? "";
    expect(await people.send(path, { token })).toMatchObject({ status: 200, body: none });
    const refused = { status: 409, body: { code: "NoBranch" } };
    expect(await people.send(path, { token, method: "POST" })).toMatchObject(refused);
  });

  it("is shown as the connector wrote it, without its feedback", async () => {
    const { session, get } = await push(patient, "fix/a,b=d");
    const status = { ...openedAsDraft, repository: "acme/renamed" };
    const stored = await storePullRequest(client, session, { head: "fix/a,b=d", reason: "PullRequestOpened", status });
    const { body } = await get();
    expect(body).toEqual({
      branch: "fix/a,b=d",
      wish: "read_state",
      requestedAt: null,
      obstacle: null,
      pullRequest: {
        id: `${patient.world.tenant}.${stored.metadata.name!}`,
        sessionId: `${patient.world.tenant}.${session.metadata.name!}`,
        repository: "acme/renamed",
        number: 17,
        url: openedAsDraft.url,
        state: "draft",
        reason: "pull_request_opened",
        message: "It is PullRequestOpened",
      },
    });
  });

  it("can be tried again where GitHub refused it", async () => {
    const { session, get } = await push(patient, "fix-refused");
    await storePullRequest(client, session, { head: "fix-refused", reason: "PullRequestRefused" });
    const pullRequest = { number: null, url: null, state: null, reason: "pull_request_refused" };
    expect((await get()).body).toMatchObject({ wish: "try_again", pullRequest });
  });
});

describe("a branch that pull requests of the repository go into", () => {
  const from = { repositoryRefs: [{ name: "web", branch: "release" }] };
  const shop = { environmentRef: { name: "shop" } };

  beforeAll(async () => {
    for (const { namespace } of [patient, hasty].map(({ world }) => ({ namespace: world.tenant }))) {
      const spec = { url: "https://github.com/acme/web.git", branch: "trunk" } as Repository["spec"];
      await client.create(Repository, { metadata: { name: "web", namespace }, spec });
      const repositoryRefs = [{ name: "web" }, { name: "api" }];
      await client.create(Environment, { metadata: { name: "shop", namespace }, spec: { repositoryRefs } });
    }
  });

  it.each([
    ["the Repository's", "trunk", { repositoryRefs: [{ name: "web" }] }],
    ["the one that the session began with", "release", from],
    ["that of an Environment's first Repository", "trunk", shop],
  ])("has none to ask for: %s", async (_name, branch, target) => {
    const { get, post, requestedAt } = await push(patient, branch, target);
    expect(await get()).toMatchObject({ status: 200, body: { ...none, branch, obstacle: "base_branch" } });
    const error = `prompt fix-${made}-1 ended with branch ${branch}, which pull requests of its repository go into`;
    expect(await post()).toMatchObject({ status: 409, body: { code: "NoBranch", error } });
    expect(await requestedAt()).toBeUndefined();
  });

  it.each([
    ["the Repository's, where the session began with another", "trunk", from],
    ["that of a Repository that is not there", "main", { repositoryRefs: [{ name: "gone" }] }],
    ["one beside an Environment's", "fix", shop],
  ])("is not %s", async (_name, branch, target) => {
    const { get } = await push(patient, branch, target);
    expect((await get()).body).toMatchObject({ wish: "open", obstacle: "no_integration" });
  });

  it("is no question where the pull request is open", async () => {
    const { session, get } = await push(patient, "trunk", shop);
    await storePullRequest(client, session, { head: "trunk", reason: "PullRequestOpened", status: openedAsDraft });
    expect((await get()).body).toMatchObject({ wish: "read_state", obstacle: null });
  });

  it.each(["/environments/", "/repositories/"])("is not known while a read of %s breaks", async (part) => {
    const { get, post, requestedAt } = await push(hasty, "trunk", shop);
    hasty.proxy.decide(({ path }) => (path.includes(part) ? { kind: "refuse" } : undefined));
    for (const answer of [await get(), await post()]) {
      expect(answer).toMatchObject({ status: 503, body: { code: "Unavailable" } });
    }
    expect(await requestedAt()).toBeUndefined();
  });
});

describe("a request for it", () => {
  it("is answered with the pull request that the connector opened", async () => {
    const pushed = await push(patient, "fix-opened");
    const answer = pushed.post();
    const status = { ...openedAsDraft, requestedAt: await asked(pushed) };
    await storePullRequest(client, pushed.session, { head: "fix-opened", reason: "PullRequestOpened", status });
    expect(await answer).toMatchObject({
      status: 200,
      body: { wish: "read_state", requestedAt: null, pullRequest: { number: 17, state: "draft" } },
    });
  });

  it("is answered with why GitHub refused it", async () => {
    const pushed = await push(patient, "fix-no");
    const answer = pushed.post();
    const status = { requestedAt: await asked(pushed) };
    await storePullRequest(client, pushed.session, { head: "fix-no", reason: "PullRequestRefused", status });
    expect(await answer).toMatchObject({ status: 200, body: { wish: "try_again", requestedAt: null } });
  });

  it("waits where no connector follows it, and leaves an Event that names who asked", async () => {
    const { prompt, get, post, requestedAt } = await push(hasty, "fix-waits");
    const answer = await post();
    const since = Date.parse((await requestedAt()) ?? "");
    const body = { wish: "open", requestedAt: since, pullRequest: null };
    expect(answer).toMatchObject({ status: 202, body });
    expect(await get()).toMatchObject({ status: 200, body });
    await eventually("it is noted", async () => {
      const events = await find(`/apis/events.k8s.io/v1/namespaces/${hasty.world.tenant}/events`);
      const { items } = events as unknown as { items: { regarding: { uid: string }; note: string; reason: string }[] };
      const [event] = items.filter(({ regarding }) => regarding.uid === prompt.metadata.uid);
      return event?.reason === "PullRequestRequested" && event.note.startsWith("system:serviceaccount:");
    });
  });

  it("for the state of an open one is not done before that is read", async () => {
    const { session, post } = await push(hasty, "fix-read");
    await storePullRequest(client, session, { head: "fix-read", reason: "PullRequestOpened", status: openedAsDraft });
    const { status, body } = await post();
    expect([status, body.wish, typeof body.requestedAt]).toEqual([202, "read_state", "number"]);
  });

  it("changes nothing where another session owns it", async () => {
    const owner = await push(patient, "fix-shared");
    const made = { head: "fix-shared", reason: "PullRequestAdopted", status: openedAsDraft } as const;
    await storePullRequest(client, owner.session, made);
    const { post, requestedAt } = await push(patient, "fix-shared");
    const sessionId = `${patient.world.tenant}.${owner.session.metadata.name!}`;
    expect(await post()).toMatchObject({ status: 200, body: { wish: null, pullRequest: { sessionId, number: 17 } } });
    expect(await requestedAt()).toBeUndefined();
  });

  it("does not count for a prompt that came under the same name meanwhile", async () => {
    const { people, prompt, session, post } = await push(hasty, "fix-again");
    people.proxy.inject(
      {
        kind: "between",
        run: async () => {
          await client.delete(Prompt, keyOf(prompt));
          await storeEndedPrompt(client, session, { name: prompt.metadata.name!, branch: "fix-again" });
        },
      },
      { matches: ({ path, isWrite }) => !isWrite && path.includes("/pullrequests?") },
    );
    expect(await post()).toMatchObject({ status: 409, body: { code: "Refused" } });
    const now = await client.get(Prompt, keyOf(prompt));
    expect(now.metadata.annotations?.[annotations.pullRequestRequestedAt]).toBeUndefined();
  });
});

const isPatch = ({ isWrite, path }: SeenRequest): boolean => isWrite && path.includes("/prompts/");
const isIntegrations = ({ path }: SeenRequest): boolean => path.includes("/integrations");
const isList = ({ isWrite, path }: SeenRequest): boolean => !isWrite && path.includes("/pullrequests?");

it.each<{ name: string; matches: (request: SeenRequest) => boolean; fault: Fault; want: [number, string] }>([
  { name: "a write that breaks", matches: isPatch, fault: { kind: "refuse" }, want: [503, "Unavailable"] },
  {
    name: "a write answered 500",
    matches: isPatch,
    fault: { kind: "answer", status: 500 },
    want: [503, "Unavailable"],
  },
  {
    name: "a write that a policy refuses",
    matches: isPatch,
    fault: { kind: "answer", status: 403, reason: "Forbidden" },
    want: [409, "Refused"],
  },
  { name: "a list that breaks", matches: isList, fault: { kind: "refuse" }, want: [503, "Unavailable"] },
])("$name leaves nothing asked for", async ({ matches, fault, want }) => {
  const { post, requestedAt } = await push(hasty, "fix-faults");
  hasty.proxy.decide((request) => (matches(request) ? fault : undefined));
  const { status, body } = await post();
  expect([status, body.code]).toEqual(want);
  expect(await requestedAt()).toBeUndefined();
});

it("a list of Integrations that breaks is an error, and no word that there is none", async () => {
  const { get } = await push(hasty, "fix-unknown");
  hasty.proxy.decide((request) => (isIntegrations(request) ? { kind: "refuse" } : undefined));
  expect(await get()).toMatchObject({ status: 503, body: { code: "Unavailable" } });
});

it("lists no pull request of another namespace", async () => {
  const { session } = await push(hasty, "fix-elsewhere");
  await storePullRequest(client, session, {
    head: "fix-elsewhere",
    reason: "PullRequestOpened",
    status: openedAsDraft,
  });
  const { get } = await push(patient, "fix-elsewhere");
  expect((await get()).body.pullRequest).toBeNull();
});
