import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Prompt, SandboxClass, Session } from "../../../src/api/v1alpha1/index.ts";
import { pods } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  operator = await world.startOperator();
});
afterEach(() => world.close());

const succeededOf = async (name: string): Promise<object | undefined> =>
  conditionOf(await world.prompt(name), "Succeeded");

it("admits 50 of 60 prompts that are created at once, in the order of their creation, and refuses ten", async () => {
  const session = await world.createSession("fix");
  const made = await Promise.all(Array.from({ length: 60 }, (_, index) => world.createPrompt(session, index + 1)));
  const inOrder = made.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  const admitted = inOrder.slice(0, 50);
  const refused = inOrder.slice(50);
  for (const { metadata } of refused) {
    const name = metadata.name!;
    await world.until(`a refusal of ${name}`, async () => (await succeededOf(name)) !== undefined);
    expect(await succeededOf(name)).toMatchObject({
      status: "False",
      reason: "QueueFull",
      message: "A session may have at most 50 unfinished prompts",
    });
  }
  const uids = admitted.map(({ metadata }) => metadata.uid);
  await world.untilSession("fix", "a full queue", ({ queue }) => queue?.length === 50);
  await world.rest(operator);
  expect((await world.session("fix")).status?.queue).toEqual(uids);
  for (const { metadata } of admitted) expect(await succeededOf(metadata.name!)).toBeUndefined();

  await world.settlePrompt(admitted[0]!.metadata.name!, true, "Completed");
  await world.createPrompt(session, 61);
  const freed = await world.untilSession("fix", "room for one", ({ queue }) => queue?.[0] === uids[1]);
  await world.untilSession("fix", "one more", ({ queue }) => queue?.length === 50);
  expect(freed.status?.queue).not.toContain(refused[0]?.metadata.uid);
});

it("begins a Run's session with the Run's own prompt, although 50 others were stored before it", async () => {
  const { metadata } = await world.createRun("fix-run");
  const session = await world.createSession("fix", {}, metadata);
  const others = await Promise.all(Array.from({ length: 50 }, (_, index) => world.createPrompt(session, index + 2)));
  await world.rest(operator);
  expect((await world.session("fix")).status?.queue).toBeUndefined();
  const first = await world.createPrompt(session, 1);
  const { status } = await world.untilSession("fix", "a full queue", ({ queue }) => queue?.length === 50);
  const inOrder = others.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  expect(status?.queue).toEqual([first, ...inOrder.slice(0, 49)].map(({ metadata: { uid } }) => uid));
  const last = inOrder[49]!.metadata.name!;
  await world.until("the last one is refused", async () => (await succeededOf(last)) !== undefined);
  expect(await succeededOf(last)).toMatchObject({ reason: "QueueFull" });
  expect(await succeededOf("fix-1")).toBeUndefined();
});

describe("a cancelled prompt", () => {
  const cancelled = async (name: string): Promise<object | undefined> => {
    await world.cancelPrompt(name);
    await world.until(`a verdict on ${name}`, async () => (await succeededOf(name)) !== undefined);
    return succeededOf(name);
  };

  it("ends before it began, and the one after it goes next", async () => {
    const session = await world.createSession("fix");
    for (const index of [1, 2, 3]) await world.createPrompt(session, index);
    await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-1");
    const message = "cancelled before it began";
    expect(await cancelled("fix-2")).toMatchObject({ status: "False", reason: "Cancelled", message });
    await world.settlePrompt("fix-1", true, "Completed");
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-3");
    expect(operator.events).toContainEqual(
      expect.objectContaining({ type: "Normal", reason: "Cancelled", note: `Prompt fix-2 was ${message}` }),
    );
  });

  it("ends while it is processed, and the next one goes on in the same sandbox", async () => {
    const session = await world.createSession("fix");
    for (const index of [1, 2]) await world.createPrompt(session, index);
    await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-1");
    const message = "cancelled while it was processed";
    expect(await cancelled("fix-1")).toMatchObject({ status: "False", reason: "Cancelled", message });
    const next = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
    expect(next.status).toMatchObject({ sandbox: { attempt: 1 }, promptsEnded: 1 });
    expect(next.status?.sandbox).not.toHaveProperty("endTime");
  });
});

it("processes prompts one after the other in one sandbox", async () => {
  const session = await world.createSession("fix");
  for (const index of [1, 2, 3]) await world.createPrompt(session, index);
  await world.bringUp(session);
  for (const index of [1, 2, 3]) {
    await world.untilSession("fix", `prompt ${index}`, ({ currentPrompt }) => currentPrompt?.name === `fix-${index}`);
    await world.settlePrompt(`fix-${index}`, index !== 2, index === 2 ? "Failed" : "Completed", {
      summary: `${index}`,
    });
  }
  const ended = await world.untilSession("fix", "stopped", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(ended.status).toMatchObject({ sandbox: { attempt: 1 }, promptsEnded: 3, result: { summary: "3" } });
});

it("goes on with the next prompt when the processed one is deleted", async () => {
  const session = await world.createSession("fix");
  await world.createPrompt(session, 1);
  await world.createPrompt(session, 2);
  await world.bringUp(session);
  const { status } = await world.untilSession(
    "fix",
    "dispatched",
    ({ currentPrompt }) => currentPrompt?.name === "fix-1",
  );
  expect(status?.queue).toHaveLength(2);
  await world.deletePrompt("fix-1");
  const next = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
  expect(next.status?.queue).toHaveLength(1);
});

it("starts another sandbox for a prompt that comes after the first was stopped", async () => {
  const session = await world.createSession("fix");
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("fix-1", true, "Completed");
  await world.untilSession("fix", "stopped", ({ sandbox }) => sandbox?.endTime !== undefined);
  await world.createPrompt(session, 2);
  await world.bringUp(session, 2);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
  await world.rest(operator);
  expect(await world.bundles()).toEqual([`${session.metadata.uid!}-2`]);
});

it("warms a session for people up before it has a prompt, and not one of a Run", async () => {
  await world.createSession("mine", { idleTimeoutSeconds: 600 });
  const { metadata } = await world.createRun("a-run");
  await world.createSession("its", {}, metadata);
  const pod = await world.untilPod(1);
  await world.rest(operator);
  expect((await world.pods()).map((one) => one.metadata.name)).toEqual([pod.metadata.name]);
  expect(pod.metadata.name).toMatch(/^mine-/);
  expect((await world.session("its")).status).toEqual({ observedGeneration: -1 });
});

it("keeps to the class's number of sandboxes and lets the oldest session go next", async () => {
  const name = `${world.namespace}-two`;
  await world.createClass(name, { maxSandboxes: 3 });
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [name] }]);
  const sessions = [];
  for (const index of [1, 2, 3, 4]) {
    const session = await world.createSession(`s${index}`, { sandboxClassName: name });
    await world.createPrompt(session, 1);
    sessions.push(session);
    // Creation times have whole seconds, and the line goes by them.
    if (index > 1) await world.passSecond();
  }
  const sandboxes = async (): Promise<string[]> =>
    (await world.pods()).map(({ metadata }) => metadata.name!.slice(0, 2));
  await world.untilSession("s4", "queued", ({ conditions }) =>
    (conditions ?? []).some(({ reason }) => reason === "Queued"),
  );
  await world.rest(operator);
  expect(await sandboxes()).toEqual(["s1", "s2"]);
  expect(conditionOf(await world.session("s3"), "Ready")).toMatchObject({
    reason: "Queued",
    message: `SandboxClass ${name} has no place left: of its 3, child sessions alone take 1. The session starts when one is free; the platform team can raise the limit (maxSandboxes)`,
  });

  const pod = (await world.pods()).find(({ metadata }) => metadata.name!.startsWith("s1-"))!;
  await world.deletePrompt("s1-1");
  await world.untilSession("s1", "stopped", ({ sandbox }) => sandbox?.endTime !== undefined);
  await world.until("s3 goes next", async () => (await sandboxes()).includes("s3"));
  await world.rest(operator);
  expect(await sandboxes()).toEqual(["s2", "s3"]);
  expect(await world.client.find(pods, { namespace: world.namespace, name: pod.metadata.name! })).toBeUndefined();

  await world.client.patch(SandboxClass, { name }, { spec: { maxSandboxes: 4 } });
  await world.until("s4 goes too", async () => (await sandboxes()).includes("s4"));
});

it("keeps a namespace to its number of sandboxes", async () => {
  const name = `${world.namespace}-few`;
  await world.createClass(name, { maxSandboxes: 4, maxSandboxesPerNamespace: 2 });
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [name] }]);
  for (const own of ["s1", "s2"]) {
    await world.createPrompt(await world.createSession(own, { sandboxClassName: name }), 1);
    await world.until(`${own} is seen`, async () => (await world.session(own)).status?.conditions !== undefined);
  }
  await world.rest(operator);
  expect(await world.pods()).toHaveLength(1);
  expect(conditionOf(await world.session("s2"), "Ready")).toMatchObject({
    reason: "Queued",
    message: `Namespace ${world.namespace} has, by maxSandboxesPerNamespace of SandboxClass ${name}, no place left: of its 2, child sessions alone take 1. The session starts when one is free; the platform team can raise the limit`,
  });
  await world.client.patch(SandboxClass, { name }, { spec: { maxSandboxesPerNamespace: 3 } });
  await world.until("s2 goes too", async () => (await world.pods()).length === 2);

  // Fewer than run end nothing.
  await world.client.patch(SandboxClass, { name }, { spec: { maxSandboxesPerNamespace: 1, maxSandboxes: 1 } });
  await world.createPrompt(await world.createSession("s3", { sandboxClassName: name }), 1);
  await world.until("s3 waits", async () => conditionOf(await world.session("s3"), "Ready")?.reason === "Queued");
  await world.rest(operator);
  const left = await world.pods();
  expect(left.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
  expect(left.map(({ metadata }) => metadata.name?.split("-")[0]).toSorted()).toEqual(["s1", "s2"]);
});

describe("a prompt without a session", () => {
  const metadata = (): object => ({ name: "lost", namespace: world.namespace });
  const spec = { sessionRef: { name: "fix" }, text: "Do it." };
  const verdict = async (): Promise<object | undefined> => conditionOf(await world.prompt("lost"), "Succeeded");

  it("fails a minute after it was made, and not before", async () => {
    const prompt = await world.client.create(Prompt, { metadata: metadata(), spec });
    const dueMs = Date.parse(prompt.metadata.creationTimestamp!) + 60_000;
    world.clock.advance(dueMs - 1 - world.clock.now().getTime());
    await world.rest(operator, 0);
    expect(await verdict()).toBeUndefined();
    world.clock.advance(1);
    await world.until("a verdict", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({
      status: "False",
      reason: "SessionNotFound",
      message: `there is no Session fix in namespace ${world.namespace}`,
    });
    expect(conditionOf(await world.prompt("lost"), "Stalled")).toMatchObject({ status: "True" });
  });

  it("is processed when the session comes within that minute", async () => {
    await world.client.create(Prompt, { metadata: metadata(), spec });
    await world.rest(operator);
    const session = await world.createSession("fix");
    await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "lost");
  });

  it("fails when its session is deleted while it waits", async () => {
    await world.createSession("fix");
    await world.client.create(Prompt, { metadata: metadata(), spec });
    await world.untilPod(1);
    await world.client.delete(Session, { namespace: world.namespace, name: "fix" });
    await world.until("a verdict", async () => (await verdict()) !== undefined, 5_000);
    expect(await verdict()).toMatchObject({ status: "False", reason: "SessionNotFound" });
  });
});
