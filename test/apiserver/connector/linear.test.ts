import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Integration, type IntegrationEvent, Session } from "../../../src/api/v1alpha1/index.ts";
import { testApi } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import type { LinearIssue, ShownActivity } from "../../support/linear-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

let world: World;
let connector: Connector;
let integration: Integration;
let issue: LinearIssue;
let agentSession: string;

beforeAll(async () => {
  world = await World.make();
  connector = await world.startConnector();
  integration = await world.makeIntegration({ sessionInstructions: "Write a test." });
});
afterAll(() => world.close());
beforeEach(() => {
  issue = world.makeIssue();
  agentSession = randomUUID();
  world.linear.suggestions = [];
});
afterEach(() => {
  world.linear.fault = undefined;
  expect(world.linear.refused).toEqual([]);
});

type What = "created" | "prompted" | "stopped";

/** Sends an event about the test's issue and waits until it was handled. */
async function ask(
  what: What,
  text?: string,
  options: { of?: Integration; signal?: string; person?: object | null } = {},
): Promise<IntegrationEvent> {
  const { of = integration, signal, person } = options;
  const body = world.event(what, issue, agentSession, { text, signal }) as { agentSession: { creator?: unknown } };
  if (person !== undefined) body.agentSession.creator = person;
  const deliveryId = randomUUID();
  expect(await world.send(of, body, { deliveryId })).toMatchObject({ status: 200 });
  return world.settledEvent(of, deliveryId);
}

const shown = (): Pick<ShownActivity, "type" | "body">[] =>
  world.linear.activitiesAt(agentSession).map(({ type, body }) => ({ type, body }));
const bodies = (): string[] => shown().map(({ body }) => body);

it("starts a session for a mention, acknowledges it, and shows the answer", async () => {
  const before = connector.proxy.seen.length;
  const event = await ask("created", "@bot fix the login");
  const [prompt] = await promptsOf(world, issue);
  expect(event.status).toMatchObject({ triggered: 1, steered: 0, skipped: 0, promptName: prompt?.metadata.name });
  await until("it is acknowledged", () => shown().length === 1);
  expect(shown()).toEqual([{ type: "thought", body: "Looking into it." }]);
  const { sessions } = await world.work(issue);
  expect(sessions).toMatchObject([
    {
      metadata: {
        annotations: {
          "runwright.dev/requested-by": `linear:${world.linear.organization.id}:3f1d0000-0000-4000-8000-000000000009`,
        },
      },
      spec: { serviceAccountName: "runner", target: { repositoryRefs: [{ name: "api" }] } },
    },
  ]);
  for (const part of [`${issue.identifier} ${issue.url}`, "@bot fix the login", "It says 500.", "Priority: High"]) {
    expect(prompt?.spec.text).toContain(part);
  }
  expect(prompt?.spec.text.endsWith("# Instructions\n\nWrite a test.")).toBe(true);
  const writes = connector.proxy.seen
    .slice(before)
    .filter(({ isWrite, path }) => isWrite && !/\/(leases|integrations)\b/.test(path));
  // Conversation, its status, Session, Prompt and event; the status may be written again before all is read here.
  expect(writes.length).toBeLessThanOrEqual(6);
  await answerPrompt(world, prompt!, "The login works again.");
  await until("the answer is shown", () => shown().length > 1);
  expect(shown()[1]).toEqual({ type: "response", body: "The login works again.\n\nBranch: `fix-login`" });
});

it("asks for nothing that no document of Linear's SDK asks for, and shows a failure as an error", async () => {
  await ask("created", "fix it");
  const [prompt] = await promptsOf(world, issue);
  await answerPrompt(world, prompt!, "I could not.", false);
  await until("the failure is shown", () => shown().length > 1);
  expect(shown()[1]).toMatchObject({ type: "error" });
  expect(shown()[1]?.body).toContain("I could not.");
});

describe("the issue", () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  /** Lets the session's controller say that the prompt is at work. */
  async function reach(startTime: string): Promise<void> {
    const { sessions, prompts } = await world.work(issue);
    const session = sessions.at(-1)!;
    const { name = "", uid = "" } = prompts.at(-1)!.metadata;
    const live = await world.client.get(Session, { namespace: world.namespace, name: session.metadata.name ?? "" });
    await world.client.patchStatus(Session, live, {
      observedGeneration: 1,
      sandbox: { attempt: 1, podName: "p", createTime: startTime, readyTime: startTime },
      currentPrompt: { name, uid, startTime, deadline: at(3_600_000) },
    });
  }
  const isDecided = async (): Promise<boolean> =>
    (await world.conversation(issue))?.status?.posts?.some(
      ({ kind, progress }) => kind === "StartIssue" && progress !== "Waiting" && progress !== "Pending",
    ) ?? false;

  it.each([
    { name: "a moment ago", ageMs: 0, state: "doing" },
    { name: "4:50 min ago", ageMs: 290_000, state: "doing" },
    { name: "5:10 min ago", ageMs: 310_000, state: "backlog" },
    { name: "50 s ahead", ageMs: -50_000, state: "doing" },
    { name: "70 s ahead", ageMs: -70_000, state: "backlog" },
  ])("whose prompt reached a sandbox $name is in state $state", async ({ ageMs, state }) => {
    await ask("created", "fix it");
    expect(world.linear.issues.get(issue.id)?.stateId).toBe("backlog");
    await reach(at(-ageMs));
    await until("it is decided", isDecided);
    expect(world.linear.issues.get(issue.id)?.stateId).toBe(state);
  });

  it.each(["review", "done"])("that is in state %s stays there", async (stateId) => {
    issue.stateId = stateId;
    await ask("created", "fix it");
    await reach(at(0));
    await until("it is decided", isDecided);
    expect(issue.stateId).toBe(stateId);
  });

  it("stays where it is while no prompt has reached a sandbox", async () => {
    await ask("created", "fix it");
    const [prompt] = await promptsOf(world, issue);
    await answerPrompt(world, prompt!, "", false, false);
    await until("it is decided", isDecided);
    expect(issue.stateId).toBe("backlog");
  });
});

describe("a follow-up", () => {
  it("goes to the session with what the agent said last, at most 500 characters, and without instructions", async () => {
    await ask("created", "fix it");
    const [first] = await promptsOf(world, issue);
    await answerPrompt(world, first!, "é".repeat(501));
    await until("the answer is shown", () => shown().length > 1);
    const event = await ask("prompted", "and the logout");
    expect(event.status).toMatchObject({ triggered: 0, steered: 1 });
    const prompts = await promptsOf(world, issue);
    expect(prompts).toHaveLength(2);
    expect((await world.work(issue)).sessions).toHaveLength(1);
    const { text } = prompts[1]!.spec;
    expect(text).toContain("and the logout");
    expect(text).toContain("é".repeat(500));
    expect(text).not.toContain("é".repeat(501));
    expect(text).not.toContain("Write a test.");
  });

  it("stays in the session where the issue has moved to another project", async () => {
    await ask("created", "fix it");
    issue.projectId = "0b9e1c1e-0000-4000-8000-000000000abc";
    await ask("prompted", "go on");
    expect((await world.work(issue)).sessions).toHaveLength(1);
  });

  it("starts a new session where the old one is gone, and says so", async () => {
    await ask("created", "fix it");
    const [old] = (await world.work(issue)).sessions;
    await world.client.delete(Session, { namespace: world.namespace, name: old?.metadata.name ?? "" });
    await until("the connector knows", async () => (await world.work(issue)).sessions.length === 0);
    const event = await ask("prompted", "go on");
    expect(event.status).toMatchObject({ triggered: 1 });
    const { sessions } = await world.work(issue);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.metadata.uid).not.toBe(old?.metadata.uid);
    await until("it says so", () => bodies().includes("The earlier session is gone, so a new one was started."));
  });

  it("without a session before is a new request", async () => {
    const event = await ask("prompted", "fix it");
    expect(event.status).toMatchObject({ triggered: 1 });
  });
});

it("a second mention always starts a second session", async () => {
  await ask("created", "fix it");
  await ask("created", "again");
  const { sessions, prompts } = await world.work(issue);
  expect([sessions.length, prompts.length]).toEqual([2, 2]);
  expect((await world.conversation(issue))?.status).toMatchObject({
    generation: 2,
    sessionName: sessions[1]?.metadata.name,
  });
});

describe("a stop", () => {
  it("cancels what the session is at; the next request starts another", async () => {
    await ask("created", "fix it");
    const event = await ask("prompted", "stop", { signal: "stop" });
    expect(event.status).toMatchObject({ steered: 1 });
    const [prompt] = await promptsOf(world, issue);
    expect(prompt?.spec.cancel).toBe(true);
    await until("it is confirmed", () => bodies().includes("Stopped."));
    expect((await ask("prompted", "go on")).status).toMatchObject({ triggered: 1 });
    expect((await world.work(issue)).sessions).toHaveLength(2);
  });

  it("of what does not run does nothing", async () => {
    const event = await ask("stopped");
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "True", reason: "NothingToDo" });
    expect(shown()).toEqual([]);
  });

  it("that fails leaves follow-ups with the session", async () => {
    await ask("created", "fix it");
    connector.proxy.decide(({ method, path }) =>
      method === "PATCH" && path.includes("/prompts/") ? { kind: "answer", status: 403 } : undefined,
    );
    const event = await ask("prompted", "stop", { signal: "stop" });
    connector.proxy.decide(undefined);
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "StopFailed" });
    await until("the person reads so", () => bodies().some((body) => body.startsWith("The work could not be stopped")));
    expect(shown().at(-1)?.type).toBe("thought");
    expect((await ask("prompted", "go on")).status).toMatchObject({ steered: 1 });
    expect((await world.work(issue)).sessions).toHaveLength(1);
  });
});

describe("a stop of what waits", () => {
  it("goes before a request whose issue Linear does not give, and takes it back", async () => {
    world.linear.fault = (operation) => (operation === "issue" ? "error" : undefined);
    const before = world.linear.calls.length;
    const body = world.event("created", issue, agentSession, { text: "fix it" });
    expect(await world.send(integration, body, { deliveryId: `held-${agentSession}` })).toMatchObject({ status: 200 });
    await until("it waits", () => world.linear.calls.slice(before).includes("issue"));
    const event = await ask("prompted", "stop", { signal: "stop" });
    expect(event.status).toMatchObject({ steered: 1 });
    const request = await world.settledEvent(integration, `held-${agentSession}`);
    expect(conditionOf(request, "Succeeded")).toMatchObject({ status: "True", reason: "NothingToDo" });
    await until("it is confirmed", () => bodies().includes("Stopped."));
    world.linear.fault = undefined;
    expect((await world.work(issue)).sessions).toEqual([]);
  });

  it("by a person on no list cancels nothing, and the person reads so", async () => {
    await ask("created", "fix it");
    const body = world.event("prompted", issue, agentSession, { text: "stop", signal: "stop" }) as {
      agentActivity: { user?: unknown };
    };
    body.agentActivity.user = { id: randomUUID(), name: "Carl", email: "carl@example.com" };
    await world.send(integration, body, { deliveryId: `denied-${agentSession}` });
    const event = await world.settledEvent(integration, `denied-${agentSession}`);
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
    await until("the person reads so", () => bodies().some((said) => said.startsWith("You are not on the list")));
    const [prompt] = await promptsOf(world, issue);
    expect(prompt?.spec.cancel).not.toBe(true);
  });
});

describe("access", () => {
  const ben = { id: "3f1d0000-0000-4000-8000-0000000000be", name: "Ben", email: "Ben@example.com" };

  it.each([
    { name: "an empty list", access: {}, person: undefined, isAllowed: false },
    { name: "another person", access: { users: ["carl@example.com"] }, person: undefined, isAllowed: false },
    { name: "an e-mail address in another case", access: { users: ["bEN@EXAMPLE.com"] }, person: ben, isAllowed: true },
    { name: "an id", access: { users: [ben.id] }, person: ben, isAllowed: true },
    { name: "the team", access: { teams: ["ENG"] }, person: ben, isAllowed: true },
    { name: "another team", access: { teams: ["OPS"] }, person: ben, isAllowed: false },
    { name: "the team, asked by an automation", access: { teams: ["ENG"] }, person: null, isAllowed: true },
    { name: "a person, asked by an automation", access: { users: [ben.id] }, person: null, isAllowed: false },
  ])("for $name: $isAllowed", async ({ access, person, isAllowed }) => {
    const own = await world.makeIntegration({ access });
    const event = await ask("created", "fix it", { of: own, ...(person !== undefined && { person }) });
    expect(event.status?.triggered).toBe(isAllowed ? 1 : 0);
    if (isAllowed) return;
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
    await until("the person gets an error that says so", () => shown().some(({ type }) => type === "error"));
    expect(shown()).toHaveLength(1);
    expect((await world.work(issue)).sessions).toEqual([]);
  });
});

describe("the target", () => {
  let own: Integration;
  beforeAll(async () => {
    await world.makeRepository("web", "https://github.com/acme/web.git");
    const project = "0b9e1c1e-0000-4000-8000-0000000000p1".replace("p", "a");
    own = await world.makeIntegration(
      {},
      {
        repositories: [{ name: "api" }, { name: "web" }],
        projects: [
          { id: project, target: { repositoryRef: { name: "web" } } },
          { id: "0b9e1c1e-0000-4000-8000-0000000000a2", target: { environmentRef: { name: "gone" } } },
        ],
        teams: [{ key: "ENG", label: "Frontend", target: { repositoryRef: { name: "web" } } }],
      },
    );
  });
  const target = async (): Promise<unknown> => (await world.work(issue)).sessions[0]?.spec.target;
  const web = { repositoryRefs: [{ name: "web" }] };

  it.each([
    {
      name: "the project's mapping",
      issueChange: { projectId: "0b9e1c1e-0000-4000-8000-0000000000a1" },
      text: "acme/api",
    },
    { name: "the team's mapping by label", issueChange: { labels: [{ id: "l", name: "frontend" }] }, text: "acme/api" },
    { name: "the repository that is named", issueChange: {}, text: "in acme/web please" },
    {
      name: "the one named where a mapping is to what is gone",
      issueChange: { projectId: "0b9e1c1e-0000-4000-8000-0000000000a2" },
      text: "acme/web",
    },
  ])("is $name", async ({ issueChange, text }) => {
    Object.assign(issue, issueChange);
    await ask("created", text, { of: own });
    expect(await target()).toEqual(web);
  });

  it.each([
    { confidence: 0.7, isTaken: true },
    { confidence: 0.69, isTaken: false },
  ])("is what Linear suggests with confidence $confidence: $isTaken", async ({ confidence, isTaken }) => {
    world.linear.suggestions = [{ repositoryFullName: "acme/web", confidence }];
    const event = await ask("created", "fix it", { of: own });
    if (isTaken) expect(await target()).toEqual(web);
    else expect(conditionOf(event, "Succeeded")).toMatchObject({ reason: "TargetUnknown" });
  });

  it("is asked for, and the answer starts the session", async () => {
    const event = await ask("created", "fix it", { of: own });
    expect(event.status).toMatchObject({ triggered: 0, skipped: 1 });
    await until("the question is shown", () => shown().some(({ type }) => type === "elicitation"));
    expect(bodies().at(-1)).toBe("Which repository is this about? Answer with one of\n- acme/api\n- acme/web");
    await ask("prompted", "acme/web", { of: own });
    expect(await target()).toEqual(web);
    const [prompt] = await promptsOf(world, issue);
    for (const said of ["fix it", "acme/web"]) expect(prompt?.spec.text).toContain(said);
  });

  it("is that of the answer where the issue has a session on another", async () => {
    await ask("created", "acme/api", { of: own });
    agentSession = randomUUID();
    await ask("created", "fix the login", { of: own });
    const event = await ask("prompted", "acme/web", { of: own });
    expect(event.status).toMatchObject({ triggered: 1, steered: 0 });
    const { sessions, prompts } = await world.work(issue);
    expect(sessions.map(({ spec }) => spec.target)).toEqual([{ repositoryRefs: [{ name: "api" }] }, web]);
    expect(prompts.at(-1)?.spec.text).toContain("fix the login");
    expect((await ask("prompted", "go on", { of: own })).status).toMatchObject({ triggered: 0, steered: 1 });
    expect((await world.work(issue)).sessions).toHaveLength(2);
  });
});

it("shows the last 5 comments of at most 200 characters, whichever end of the list Linear begins with", async () => {
  issue.comments = Array.from({ length: 7 }, (_, index) => ({
    id: `c${index}`,
    body: `${index}`.repeat(201),
    createdAt: new Date(Date.UTC(2026, 4, index + 1)).toISOString(),
    userId: "u",
  }));
  await ask("created", "fix it");
  const [prompt] = await promptsOf(world, issue);
  const comments = (prompt?.spec.text ?? "").split("\n").filter((line) => line.startsWith("Comment: "));
  expect(comments).toEqual(["2", "3", "4", "5", "6"].map((digit) => `Comment: ${digit.repeat(196)} […]`));
});

describe("Linear", () => {
  it.each(["drop", "lose", "html", "redirect", "throttle", "error", "unauthorized"] as const)(
    "that answers the acknowledgement so: %s, shows one all the same",
    async (fault) => {
      const faulty = ["createActivity"];
      world.linear.fault = (operation) => (operation === faulty[0] && faulty.shift() ? fault : undefined);
      await ask("created", "fix it");
      await until("it is acknowledged", () => shown().length > 0);
      expect(shown()).toEqual([{ type: "thought", body: "Looking into it." }]);
    },
  );

  it.each(["lose", "html", "throttle", "error"] as const)(
    "that answers the reading of an issue so: %s, is asked again",
    async (fault) => {
      const faulty = ["issue", "issueNames"];
      world.linear.fault = (operation) => (operation === faulty[0] && faulty.shift() ? fault : undefined);
      expect((await ask("created", "fix it")).status).toMatchObject({ triggered: 1 });
    },
  );

  it("that does not know the issue refuses the request", async () => {
    world.linear.issues.delete(issue.id);
    const event = await ask("created", "fix it");
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "ProviderUnavailable" });
  });

  it("that has revoked the tokens gives others", async () => {
    world.linear.revokeTokens();
    expect((await ask("created", "fix it")).status).toMatchObject({ triggered: 1 });
  });
});

it("says that credentials are refused and what to do, and no other integration waits for it", async () => {
  const own = await world.makeIntegration();
  const name = `${own.metadata.name ?? ""}-app`;
  const path = `/api/v1/namespaces/${world.namespace}/secrets/${name}`;
  await testApi().apply(path, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: { "client-id": world.linear.clientId, "client-secret": "withdrawn-secret" },
  });
  const key = { namespace: world.namespace, name: own.metadata.name ?? "" };
  await world.client.patch(Integration, key, { spec: { sessionInstructions: "x" } });
  await world.copied(own, "withdrawn-secret");
  const deliveryId = randomUUID();
  await world.send(own, world.event("created", world.makeIssue(), "other", { text: "fix it" }), { deliveryId });
  await until("it says so", async () => {
    const ready = conditionOf(await world.client.get(Integration, key), "Ready");
    return ready?.reason === "CredentialsRefused";
  });
  const ready = conditionOf(await world.client.get(Integration, key), "Ready");
  expect(ready?.message).toContain("Put valid credentials into the Secret");
  expect(ready?.message).not.toContain("withdrawn-secret");
  expect((await ask("created", "fix it")).status).toMatchObject({ triggered: 1 });
});

it("a settled world causes no writes", async () => {
  await ask("created", "fix it");
  const before = connector.proxy.seen.filter(({ isWrite, path }) => isWrite && !path.includes("/leases")).length;
  const watches = (): number => connector.proxy.seen.filter(({ isWatch }) => isWatch).length;
  const begun = watches();
  const broken = connector.proxy.breakWatches("end");
  await until("the watches are back", () => watches() >= begun + broken);
  const after = connector.proxy.seen.filter(({ isWrite, path }) => isWrite && !path.includes("/leases")).length;
  expect(after).toBe(before);
});
