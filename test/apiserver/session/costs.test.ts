import { createHash } from "node:crypto";

import { afterEach, beforeEach, expect, it } from "vitest";

import { annotations, Prompt, Session, type SessionSpec } from "../../../src/api/v1alpha1/index.ts";
import { makeChild } from "../../../src/gateway/children/make-child.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

const running = (name: string, stepMs?: number): Promise<Session> =>
  world.untilSession(name, "at work", ({ currentPrompt }) => currentPrompt !== undefined, stepMs);

/** What the gateway notes of a sandbox's cost. */
const note = (session: Session, costUsd: string): Promise<void> =>
  world.noteOnLease(session, 1, { [annotations.costUsd]: costUsd });

/** A session whose first prompt is processed. */
async function atWork(session: Session): Promise<Session> {
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  return running(session.metadata.name!);
}

function spawn(parent: Session, index: number): Promise<Session> {
  const bytes = createHash("sha256").update(String(index)).digest();
  return world.client.create(Session, makeChild(parent, { bytes }));
}

/** A prompt ends, by which time its sandbox has cost this much. */
async function endsWith(name: string, sandboxCostUsd: string): Promise<void> {
  const prompt = await world.prompt(name);
  const usage = { costUsd: "0.5", sandboxCostUsd };
  await world.client.patchStatus(Prompt, prompt, { ...prompt.status, usage });
  await world.settlePrompt(name, true, "Completed");
}

function endOf(prompt: string): Promise<{ reason?: string; message?: string } | undefined> {
  return world.prompt(prompt).then((one) => conditionOf(one, "Succeeded"));
}

/** The message of a prompt that is stopped before time goes on. */
async function stopped(prompt: string): Promise<string | undefined> {
  await world.until(`${prompt} has ended`, async () => (await endOf(prompt)) !== undefined, 0);
  const end = await endOf(prompt);
  expect(end).toMatchObject({ reason: "CostLimitReached" });
  return end?.message;
}

it("stops the processed prompt once its cost reaches the limit, and goes on in the same sandbox when that is raised", async () => {
  const { client, namespace } = world;
  const operator = await world.startOperator();
  const session = await world.createSession("fix", {
    idleTimeoutSeconds: 600,
    settings: { maxSessionCostUsd: "1" },
  });
  await atWork(session);
  await world.createPrompt(session, 2);
  await world.untilSession("fix", "two in line", ({ queue }) => queue?.length === 2);

  const before = operator.writes.length;
  await note(session, "0.999999");
  await world.rest(operator);
  expect(operator.writes.slice(before)).toEqual([]);
  await note(session, "1.25");
  expect(await stopped("fix-1")).toBe("the session has cost 1.25 USD and its maxSessionCostUsd is 1");
  const held = await world.untilSession("fix", "held", ({ currentPrompt }) => currentPrompt === undefined);
  expect(held.status).toMatchObject({ costUsd: "1.25", sandbox: { costUsd: "1.25" }, promptsEnded: 1 });
  expect(conditionOf(held, "Ready")).toMatchObject({ status: "False", reason: "CostLimitReached" });

  await client.patch(Session, { namespace, name: "fix" }, { spec: { settings: { maxSessionCostUsd: "2" } } });
  const again = await running("fix", 0);
  expect(again.status?.sandbox).toMatchObject({ attempt: 1 });
  // What the runtime says of the whole sandbox counts once, late or not.
  await endsWith("fix-2", "1.75");
  await world.untilSession("fix", "counted", ({ costUsd }) => costUsd === "1.75");
});

it("counts what a sandbox has cost that is lost with its prompt", async () => {
  await world.startOperator();
  const session = await world.createSession("fix", { idleTimeoutSeconds: 600 });
  await atWork(session);
  await note(session, "0.4");
  const [pod] = await world.pods();
  await world.deletePod(pod!.metadata.name!);
  const lost = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(lost.status).toMatchObject({ costUsd: "0.4", sandbox: { endReason: "SandboxLost", costUsd: "0.4" } });
});

it("warns of a limit when the agent's first prompt ends without a cost, until one is reported", async () => {
  await world.startOperator();
  const session = await world.createSession("fix", { idleTimeoutSeconds: 600, settings: { maxSessionCostUsd: "1" } });
  await atWork(session);
  await world.settlePrompt("fix-1", true, "Completed");
  const warned = await world.untilSession("fix", "idle", ({ promptsEnded }) => promptsEnded === 1);
  expect(conditionOf(warned, "CostLimitNotEnforced")).toMatchObject({ status: "True", reason: "CostNotReported" });
  await note(session, "0.1");
  await world.createPrompt(session, 2);
  const next = await running("fix");
  expect(conditionOf(next, "CostLimitNotEnforced")).toBeUndefined();
});

it("stops a whole family when a child's prompt ends with the cost that brings them to the limit", async () => {
  await world.startOperator();
  const parent = await world.createSession("root", { settings: { maxSessionCostUsd: "1" } });
  await atWork(parent);
  const [child, sibling] = [await spawn(parent, 1), await spawn(parent, 2)];
  await Promise.all([child, sibling].map(atWork));
  await endsWith(`${child.metadata.name!}-1`, "1");
  for (const prompt of ["root-1", `${sibling.metadata.name!}-1`]) {
    expect(await stopped(prompt)).toContain("the session and its family have cost 1 USD");
  }
});

const spenders = 12;

it(`lets ${spenders} sessions of a family spend no more than their root's limit and one report each`, async () => {
  const operator = await world.startOperator();
  const settings: SessionSpec["settings"] = {
    maxSessionCostUsd: "10",
    maxConcurrentChildSessions: spenders,
  };
  const root = await world.createSession("root", { idleTimeoutSeconds: 600, settings });
  const parent = await atWork(root);
  const children = await Promise.all(Array.from({ length: spenders - 1 }, (_, index) => spawn(parent, index)));
  await Promise.all(children.map(atWork));
  const family = [root, ...children];
  const prompts = family.map(({ metadata }) => `${metadata.name!}-1`);

  for (const each of ["0.25", "0.5", "0.75"]) await Promise.all(family.map((session) => note(session, each)));
  await world.rest(operator);
  expect(await Promise.all(prompts.map(endOf))).toEqual(prompts.map(() => undefined));
  // 9 USD: the fourth of these brings the family to its limit, late; nothing more is said of the other eight.
  const [last] = children.slice(-1);
  await world.settlePrompt(prompts.pop()!, true, "Completed");
  await world.untilSession(last!.metadata.name!, "idle", ({ promptsEnded }) => promptsEnded === 1);
  for (const session of family.slice(0, 3)) await note(session, "1");
  await world.rest(operator);
  await note(last!, "1");
  const messages = await Promise.all(prompts.map(stopped));
  expect(messages.at(-1)).toBe(
    "the session and its family have cost 10 USD and the maxSessionCostUsd of its root session root is 10",
  );

  // Those that were deleted count, too, and no new prompt begins before the limit is raised.
  await world.untilSession("root", "told", ({ children: known }) => known?.costs?.length === spenders - 1);
  const [gone, other] = children;
  await world.client.delete(Session, { namespace: world.namespace, name: gone!.metadata.name! });
  await world.createPrompt(other!, 2);
  await world.untilSession(other!.metadata.name!, "in line", ({ queue }) => queue?.length === 1);
  await world.rest(operator);
  expect((await world.session(other!.metadata.name!)).status?.currentPrompt).toBeUndefined();
  const key = { namespace: world.namespace, name: "root" };
  await world.client.patch(Session, key, { spec: { settings: { maxSessionCostUsd: "100" } } });
  await running(other!.metadata.name!, 0);
});
