import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Environment, type Integration, type IntegrationEvent, Session } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import type { LinearIssue } from "../../support/linear-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;
let issue: LinearIssue;
let agentSession: string;

beforeAll(async () => {
  world = await World.make();
  await world.startConnector();
  integration = await world.makeIntegration();
});
afterAll(() => world.close());
beforeEach(() => {
  issue = world.makeIssue();
  agentSession = randomUUID();
});

/** Sends an event about the test's issue and waits until it was handled. */
async function ask(
  what: string,
  { of = integration, person }: { of?: Integration; person?: null } = {},
): Promise<IntegrationEvent> {
  const body = world.event(what, issue, agentSession, { text: "fix it" }) as { agentSession: { creator?: unknown } };
  if (person === null) body.agentSession.creator = null;
  const deliveryId = randomUUID();
  expect(await world.send(of, body, { deliveryId })).toMatchObject({ status: 200 });
  return world.settledEvent(of, deliveryId);
}

describe("a stop by its action", () => {
  it.each(["stopped", "cancelled"])("%s cancels what the session is at, and the mapping goes", async (action) => {
    await ask("created");
    expect((await ask(action)).status).toMatchObject({ steered: 1 });
    expect((await promptsOf(world, issue))[0]?.spec.cancel).toBe(true);
    expect((await ask("prompted")).status).toMatchObject({ triggered: 1 });
    expect((await world.work(issue)).sessions).toHaveLength(2);
  });

  it("cancelled where nothing runs does nothing", async () => {
    expect(conditionOf(await ask("cancelled"), "Succeeded")?.reason).toBe("NothingToDo");
  });
});

/** Lets the session's controller say that the newest prompt is at work. */
async function reach(): Promise<void> {
  const { sessions, prompts } = await world.work(issue);
  const { name = "", uid = "" } = prompts.at(-1)!.metadata;
  const startTime = new Date().toISOString();
  await world.client.patchStatus(Session, await world.client.get(Session, keyOf(sessions.at(-1)!)), {
    observedGeneration: 1,
    sandbox: { attempt: 1, podName: "p", createTime: startTime, readyTime: startTime },
    currentPrompt: { name, uid, startTime, deadline: startTime },
  });
}

describe("the state of an issue", () => {
  it("is left where an automation asked", async () => {
    const own = await world.makeIntegration({ access: { teams: ["ENG"] } });
    await ask("created", { of: own, person: null });
    await reach();
    await ask("prompted", { of: own });
    expect((await world.conversation(issue))?.status?.posts?.map(({ kind }) => kind)).not.toContain("StartIssue");
    expect(issue.stateId).toBe("backlog");
  });

  it("is left where the issue was cancelled", async () => {
    world.linear.states.set("dropped", { ...world.linear.states.get("done")!, id: "dropped", type: "canceled" });
    issue.stateId = "dropped";
    await ask("created");
    await reach();
    await until("it is decided", async () => {
      const posts = (await world.conversation(issue))?.status?.posts ?? [];
      return posts.some(({ kind, progress }) => kind === "StartIssue" && progress === "Sent");
    });
    expect(issue.stateId).toBe("dropped");
  });
});

it("a mapping to an Environment has the session work on that", async () => {
  await world.client.create(Environment, {
    metadata: { name: "shop", namespace: world.namespace },
    spec: { repositoryRefs: [{ name: "api" }] },
  });
  const own = await world.makeIntegration(
    {},
    { teams: [{ key: "ENG", target: { environmentRef: { name: "shop" } } }] },
  );
  await ask("created", { of: own });
  expect((await world.work(issue)).sessions[0]?.spec.target).toEqual({ environmentRef: { name: "shop" } });
});

it("a session that was deleted on the way gets no follow-up: a new one starts", async () => {
  await ask("created");
  const [old] = (await world.work(issue)).sessions;
  await world.client.delete(Session, keyOf(old!));
  await until("the connector knows", async () => (await world.work(issue)).sessions.length === 0);
  expect((await ask("prompted")).status).toMatchObject({ triggered: 1 });
});
