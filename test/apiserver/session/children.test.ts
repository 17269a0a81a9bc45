import { createHash } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type Prompt, type SandboxClassSpec, Session, type SessionSpec } from "../../../src/api/v1alpha1/index.ts";
import { makeChild } from "../../../src/gateway/children/make-child.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

let made = 0;
function spawn(parent: Session, change: Partial<SessionSpec> = {}): Promise<Session> {
  made += 1;
  const child = makeChild(parent, { bytes: createHash("sha256").update(String(made)).digest() });
  const spec = { ...child.spec, idleTimeoutSeconds: 0, ...change };
  return world.client.create(Session, { ...child, spec });
}

const children = async (parent: Session) => (await world.session(parent.metadata.name!)).status?.children;
const uidOf = ({ metadata }: Session): string => metadata.uid!;

async function decided(parent: Session, count: number): Promise<void> {
  await world.until(`${count} children are decided about`, async () => {
    const { items } = await world.client.list<Session>(Session, { namespace: world.namespace });
    const refused = items.filter((one) => conditionOf(one, "Ready")?.reason === "ChildRefused");
    return ((await children(parent))?.admitted.length ?? 0) + refused.length === count;
  });
}

const readyOf = async (child: Session): Promise<object | undefined> =>
  conditionOf(await world.session(child.metadata.name!), "Ready");

async function end(child: Session, prompt: Prompt): Promise<void> {
  await world.settlePrompt(prompt.metadata.name!, true, "Completed");
  await world.untilSession(child.metadata.name!, "idle", ({ queue }) => queue === undefined);
}

it("lets in the first five of twelve that are made at once; the others never get a pod and say why", async () => {
  const operator = await world.startOperator();
  const parent = await world.createSession("parent");
  const all = await Promise.all(Array.from({ length: 12 }, () => spawn(parent)));
  const prompts = await Promise.all(all.map((child) => world.createPrompt(child, 1)));
  await decided(parent, 12);
  await world.rest(operator);
  const inOrder = all.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  const first = inOrder.slice(0, 5).map(uidOf);
  expect(await children(parent)).toEqual({ admitted: first, active: 5, working: first });
  const message = "a session may have at most 5 child sessions at work at once (maxConcurrentChildSessions)";
  for (const child of inOrder.slice(5)) {
    expect(await readyOf(child)).toMatchObject({ status: "False", reason: "ChildRefused", message });
    const prompt = prompts.find(({ spec }) => spec.sessionRef.name === child.metadata.name)!;
    const stored = await world.prompt(prompt.metadata.name!);
    expect(conditionOf(stored, "Succeeded")).toMatchObject({ status: "False", reason: "ChildRefused", message });
  }
  const names = (await world.pods()).map(({ metadata }) => metadata.labels?.["runwright.dev/session-name"]);
  expect(names.sort()).toEqual(
    inOrder
      .slice(0, 5)
      .map(({ metadata }) => metadata.name)
      .sort(),
  );
});

it("lets another one in when one has ended, and counts those that are gone towards the total", async () => {
  await world.startOperator();
  const parent = await world.createSession("parent", {
    settings: { maxConcurrentChildSessions: 1, maxTotalChildSessions: 2 },
  });
  // Settings are copied when the parent's own sandbox has started.
  await world.createPrompt(parent, 1);
  await world.bringUp(parent);
  await world.untilSession("parent", "settings", ({ settings }) => settings?.maxTotalChildSessions === 2);
  const first = await spawn(parent);
  const prompt = await world.createPrompt(first, 1);
  await decided(parent, 1);
  const second = await spawn(parent);
  await decided(parent, 2);
  expect(await readyOf(second)).toMatchObject({ reason: "ChildRefused" });
  await world.untilSession(first.metadata.name!, "in line", ({ queue }) => queue?.length === 1);
  await end(first, prompt);
  await world.untilSession("parent", "a free place", (status) => status.children?.active === 0);
  const third = await spawn(parent);
  await decided(parent, 3);
  expect(await children(parent)).toEqual({
    admitted: [first, third].map(uidOf),
    active: 1,
    working: [uidOf(third)],
  });
  for (const child of [first, third]) {
    await world.client.delete(Session, { namespace: world.namespace, name: child.metadata.name! });
  }
  await world.untilSession("parent", "no child", (status) => status.children?.active === 0);
  const fourth = await spawn(parent);
  await world.until("a refusal", async () => (await readyOf(fourth)) !== undefined);
  const message = "a session may have at most 2 child sessions in all (maxTotalChildSessions)";
  expect(await readyOf(fourth)).toMatchObject({ reason: "ChildRefused", message });
});

it("lets an idle child work on its next prompt only when fewer are at work than may be", async () => {
  await world.startOperator();
  const parent = await world.createSession("parent", { settings: { maxConcurrentChildSessions: 1 } });
  await world.createPrompt(parent, 1);
  await world.bringUp(parent);
  await world.untilSession("parent", "settings", ({ settings }) => settings?.maxConcurrentChildSessions === 1);
  const first = await spawn(parent);
  const prompt = await world.createPrompt(first, 1);
  await world.untilSession(first.metadata.name!, "in line", ({ queue }) => queue?.length === 1);
  await end(first, prompt);
  await world.untilSession("parent", "a free place", (status) => status.children?.active === 0);
  const second = await spawn(parent);
  const other = await world.createPrompt(second, 1);
  await world.untilSession("parent", "at work", (status) => status.children?.active === 1);

  await world.createPrompt(first, 2);
  const waiting = await world.untilSession(first.metadata.name!, "waiting", ({ queue }) => queue?.length === 1);
  const message = "as many of its parent's child sessions are at work as may be at once (maxConcurrentChildSessions)";
  expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False", reason: "Queued", message });
  expect(await children(parent)).toMatchObject({ active: 1, working: [uidOf(second)] });
  await end(second, other);
  await world.untilSession("parent", "the first is at work", ({ children: of }) => of?.working?.[0] === uidOf(first));
  await world.untilSession(
    first.metadata.name!,
    "a sandbox",
    ({ sandbox }) => (sandbox?.attempt ?? 0) > 1 || !sandbox?.endTime,
  );
});

describe("in a class", () => {
  async function inClass(places: Partial<SandboxClassSpec>): Promise<{ name: string; parent: Session }> {
    const name = `${world.namespace}-small`;
    await world.createClass(name, places);
    await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [name] }]);
    await world.startOperator();
    const parent = await world.createSession("parent", { sandboxClassName: name });
    await world.createPrompt(parent, 1);
    await world.untilSession("parent", "a sandbox", ({ sandbox }) => sandbox !== undefined);
    return { name, parent };
  }

  it("of two places the second is for a child, and another session waits", async () => {
    const { name, parent } = await inClass({ maxSandboxes: 2 });
    const other = await world.createSession("other", { sandboxClassName: name });
    await world.createPrompt(other, 1);
    const waiting = await world.untilSession("other", "waiting", ({ conditions }) => conditions !== undefined);
    expect(conditionOf(waiting, "Ready")).toMatchObject({
      reason: "Queued",
      message: `SandboxClass ${name} has no place left: of its 2, child sessions alone take 1. The session starts when one is free; the platform team can raise the limit (maxSandboxes)`,
    });
    const child = await spawn(parent);
    await world.createPrompt(child, 1);
    await world.untilSession(child.metadata.name!, "a sandbox", ({ sandbox }) => sandbox !== undefined);
  });

  it("a parent whose children wait says so, for as long as they do", async () => {
    const { parent } = await inClass({ maxSandboxes: 2 });
    await world.bringUp(parent);
    const first = await spawn(parent);
    const prompt = await world.createPrompt(first, 1);
    await world.untilSession(first.metadata.name!, "a sandbox", ({ sandbox }) => sandbox !== undefined);
    const second = await spawn(parent);
    await world.createPrompt(second, 1);
    const said = async (message: string): Promise<boolean> =>
      conditionOf(await world.session("parent"), "Ready")?.message === message;
    const waits = "Prompt parent-1 is processed; 1 of its child sessions waits for a place";
    await world.until("the parent says so", () => said(waits));
    await world.cancelPrompt(prompt.metadata.name!);
    await world.until("the parent says so no more", () => said("Prompt parent-1 is processed"));
    await world.untilSession(second.metadata.name!, "a sandbox", ({ sandbox }) => sandbox !== undefined);
  });

  it.each<[string, Partial<SandboxClassSpec>, string]>([
    ["place", { maxSandboxes: 1 }, "one place (maxSandboxes)"],
    ["place a namespace", { maxSandboxesPerNamespace: 1 }, "one place a namespace (maxSandboxesPerNamespace)"],
  ])("of one %s a child is refused and says why", async (_, places, few) => {
    const { name, parent } = await inClass(places);
    const child = await spawn(parent);
    await world.until("a refusal", async () => (await readyOf(child)) !== undefined);
    const message = `SandboxClass ${name} has ${few}, which its parent needs`;
    expect(await readyOf(child)).toMatchObject({ reason: "ChildRefused", message });
  });
});

it("cancels what children and their children do with the prompt that is cancelled", async () => {
  const operator = await world.startOperator();
  const parent = await world.createSession("parent");
  await world.createPrompt(parent, 1);
  await world.bringUp(parent);
  await world.untilSession("parent", "at work", ({ currentPrompt }) => currentPrompt !== undefined);
  const child = await spawn(parent);
  const grandchild = await spawn(child);
  const prompts = [await world.createPrompt(child, 1), await world.createPrompt(child, 2)];
  prompts.push(await world.createPrompt(grandchild, 1));
  await world.untilSession("parent", "a child at work", ({ children: of }) => of?.active === 1);
  await world.rest(operator, 0);
  await world.cancelPrompt("parent-1");
  await world.untilSession("parent", "without work", ({ currentPrompt }) => currentPrompt === undefined);
  for (const { metadata } of prompts) {
    const succeeded = conditionOf(await world.prompt(metadata.name!), "Succeeded");
    expect(succeeded).toMatchObject({
      status: "False",
      reason: "Cancelled",
      message: "cancelled with the prompt of its parent session",
    });
  }
  expect(await children(parent)).toMatchObject({ admitted: [uidOf(child)] });
});

it("counts a child without a prompt for 2 minutes, and one whose only prompt was cancelled no more", async () => {
  const operator = await world.startOperator();
  const parent = await world.createSession("parent");
  const child = await spawn(parent);
  await decided(parent, 1);
  const endsMs = Date.parse(child.metadata.creationTimestamp!) + 120_000;
  world.clock.advance(endsMs - 1 - world.clock.now().getTime());
  await world.rest(operator, 0);
  expect(await children(parent)).toMatchObject({ active: 1 });
  world.clock.advance(1);
  await world.untilSession("parent", "a free place", (status) => status.children?.active === 0, 0);

  const second = await spawn(parent);
  // Made by the API server's clock, which has not gone on.
  await decided(parent, 2);
  await world.createPrompt(second, 1);
  await world.untilSession("parent", "a place that is taken", (status) => status.children?.active === 1);
  await world.cancelPrompt(`${second.metadata.name}-1`);
  await world.untilSession("parent", "a free place", (status) => status.children?.active === 0);
});

it("refuses a child with other rights than its parent's, and the child of a child's child", async () => {
  await world.startOperator();
  const parent = await world.createSession("parent");
  const stranger = await spawn(parent, { serviceAccountName: "admin" });
  await world.until("a refusal", async () => (await readyOf(stranger)) !== undefined);
  expect(await readyOf(stranger)).toMatchObject({
    reason: "ChildRefused",
    message: "a child session keeps target, ServiceAccount, class, agent and settings of its parent",
  });
  const child = await spawn(parent);
  const grandchild = await spawn(child);
  const tooDeep = await spawn(grandchild);
  await world.until("a refusal", async () => (await readyOf(tooDeep)) !== undefined);
  expect(await readyOf(tooDeep)).toMatchObject({ message: "child sessions lie at most 2 deep" });
  expect(await children(child)).toMatchObject({ admitted: [uidOf(grandchild)], active: 1 });
});

it("deletes a child that was left without its parent", async () => {
  await world.startOperator();
  const parent = await world.createSession("parent");
  const child = await spawn(parent);
  await decided(parent, 1);
  const key = { namespace: world.namespace, name: child.metadata.name! };
  await world.client.patch(Session, key, { metadata: { ownerReferences: null } });
  await world.until("it is gone", async () => (await world.client.find(Session, key)) === undefined);
});
