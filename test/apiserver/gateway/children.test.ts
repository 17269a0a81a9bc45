import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { type ChildRequest, longestChildRequest } from "../../../src/api/runtime/children.ts";
import { sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { group, Prompt, Session } from "../../../src/api/v1alpha1/index.ts";
import { admitChildren } from "../../../src/domain/children/admit.ts";
import { makeChild } from "../../../src/gateway/children/make-child.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf } from "../../support/kube.ts";
import { testPrograms } from "../../support/programs.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";

vi.setConfig({ testTimeout: 600_000 });

const limits = { maxConcurrentChildSessions: 2, maxTotalChildSessions: 3 };

let opened: GatewayWorld;
let kube: ReturnType<typeof clientOf>;
let agent: Agent;
let deciding: AbortController;
const processes: SandboxProcesses[] = [];
/** Sessions whose children the test decides about, as the controller would. */
const parents = new Map<string, SandboxFixture>();

beforeAll(async () => {
  opened = await openGatewayWorld();
  kube = clientOf({ file: testCluster().kubeconfig });
  agent = new Agent({ connect: { ca: opened.world.ca } });
  deciding = new AbortController();
  void decide();
});
afterAll(async () => {
  deciding.abort();
  for (const one of processes) one.kill();
  await agent.close();
  await opened.close();
  await kube.close();
});

async function promptsOf(session: string | undefined): Promise<Prompt[]> {
  const { items } = await kube.client.list<Prompt>(Prompt, { namespace: opened.world.tenant });
  return items.filter(({ spec }) => spec.sessionRef.name === session);
}

async function childrenOf({ sessionUid }: SandboxFixture): Promise<Session[]> {
  const { items } = await kube.client.list<Session>(Session, { namespace: opened.world.tenant });
  return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === sessionUid));
}

/** Lets children in and puts their prompts in line until the test ends. */
async function decide(): Promise<void> {
  while (!deciding.signal.aborted) {
    for (const parent of parents.values()) await decideAbout(parent);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function decideAbout(parent: SandboxFixture): Promise<void> {
  const { metadata, status } = await kube.client.get<Session>(Session, {
    namespace: opened.world.tenant,
    name: parent.session,
  });
  const made = await childrenOf(parent);
  const observed = made.map((child) => ({
    uid: child.metadata.uid!,
    isWorking: true,
    unfinished: [],
    isQueued: false,
    isRefused: false,
  }));
  const children = admitChildren(status?.children, observed, limits);
  if (metadata.uid === parent.sessionUid && children) await parent.status({ children });
  for (const child of made) {
    const own = (await promptsOf(child.metadata.name)).filter((prompt) => !prompt.status?.conditions);
    const queue = own.map((prompt) => prompt.metadata.uid!);
    await kube.client.patchStatus(Session, child, { ...child.status, queue }).catch(() => undefined);
  }
}

async function aParent(status: object = {}): Promise<SandboxFixture> {
  const parent = await makeSandbox(opened.world);
  await parent.prompt("Do it.");
  await parent.status({ settings: settings(), ...status });
  parents.set(parent.sessionUid, parent);
  return parent;
}

function settings(): object {
  return {
    ...limits,
    finalSnapshotBufferMs: 600_000,
    tunnelPorts: [],
    buildTimeoutSeconds: 1_800,
    maxSessionCostUsd: "",
  };
}

/** What a runtime sends for its agent. */
async function send(
  parent: SandboxFixture,
  asked: ChildRequest | string,
  { token, attempt = parent.attempt }: { token?: string; attempt?: number } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const url = opened.gateway.sandboxUrl.replace(/^wss:/, "https:");
  const answer = await request(`${url}${sandboxPath(parent.sessionUid, attempt)}/children`, {
    dispatcher: agent,
    method: "POST",
    headers: { authorization: `Bearer ${token ?? (await parent.token())}` },
    body: typeof asked === "string" ? asked : JSON.stringify(asked),
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
}

const spawnRequest = (requestId: string): ChildRequest => ({ op: "spawn", requestId, prompt: "Help." });

describe("an agent", () => {
  it("starts a child over MCP, follows it up, sees what came of it, and cancels it", async () => {
    const parent = await aParent();
    const sandbox = await startSandbox(opened.world, parent, opened.gateway.sandboxUrl);
    processes.push(sandbox);
    const client = new Client({ name: "agent", version: "1" });
    await eventually("the sandbox is connected", async () => (await parent.lease()) !== undefined);
    const directory = join(opened.world.directory, `${parent.session}-1`, "socket");
    const env = { PATH: process.env.PATH ?? "", RUNWRIGHT_SOCKET_DIRECTORY: directory };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [testPrograms().sandbox, "children"], env }),
    );
    const use = async (name: string, input: object): Promise<{ isError: boolean; said: Record<string, unknown> }> => {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } }, undefined, {
        timeout: 120_000,
      });
      const [{ text }] = content as [{ text: string }];
      return {
        isError: isError === true,
        said: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text },
      };
    };

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "spawn-child",
      "send-child-prompt",
      "list-children",
      "get-child",
      "cancel-child",
      "request-pull-request",
    ]);
    const unprompted = await use("request-pull-request", { title: "Fix it" });
    expect(unprompted).toMatchObject({ isError: true, said: { code: "NoPrompt" } });
    expect((await use("request-pull-request", { title: "t".repeat(201) })).isError).toBe(true);
    const spawned = await use("spawn-child", { prompt: "Look at the logs.", title: "Logs" });
    const [child] = await childrenOf(parent);
    const name = child!.metadata.name!;
    expect(spawned).toMatchObject({ isError: false, said: { child: { name, title: "Logs" } } });
    expect(child).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: `${group}/v1alpha1`, kind: "Session", uid: parent.sessionUid }] },
      spec: { serviceAccountName: "sandbox", target: {} },
    });
    expect((await use("send-child-prompt", { child: name, prompt: "𝄞".repeat(64_000) })).isError).toBe(false);
    expect((await use("send-child-prompt", { child: name, prompt: "𝄞".repeat(64_001) })).isError).toBe(true);
    const texts = await promptsOf(name);
    expect(texts.map(({ spec }) => spec.text).sort()).toEqual(["Look at the logs.", "𝄞".repeat(64_000)]);
    const first = texts.find(({ spec }) => spec.text === "Look at the logs.")!;
    await settle(first, { status: "True", reason: "Completed" }, { summary: "A full disk." });
    const { prompts } = (await use("get-child", { child: name })).said;
    expect(prompts).toContainEqual(
      expect.objectContaining({
        status: "completed",
        result: { summary: "A full disk.", branch: null, commit: null, pushes: [] },
      }),
    );
    await eventually("it is listed", async () =>
      ((await use("list-children", {})).said.children as { name: string }[]).some((one) => one.name === name),
    );
    const cancelling = use("cancel-child", { child: name });
    const called = await eventually("its end is asked for", async () =>
      (await promptsOf(name)).find(({ spec }) => spec.cancel),
    );
    await settle(called, { status: "False", reason: "Cancelled" });
    expect((await cancelling).said).toMatchObject({ cancelledPrompts: 1 });
    expect(await use("get-child", { child: parent.session })).toMatchObject({
      isError: true,
      said: { code: "NotFound" },
    });
    await client.close();
  });
});

async function settle({ metadata }: Prompt, verdict: object, result?: object): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  const conditions = [{ type: "Succeeded", message: "", lastTransitionTime, ...verdict }];
  const key = { namespace: opened.world.tenant, name: metadata.name! };
  await kube.client.patch(Prompt, key, { status: { result, conditions } }, { subresource: "status" });
}

describe("a spawn", () => {
  it("that is sent again makes one child with one prompt", async () => {
    const parent = await aParent();
    const answers = await Promise.all([1, 2, 3].map(() => send(parent, spawnRequest("same"))));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await send(parent, spawnRequest("same"))).status).toBe(201);
    const children = await childrenOf(parent);
    expect(children).toHaveLength(1);
    expect(await promptsOf(children[0]!.metadata.name)).toHaveLength(1);
  });

  it("beyond a limit is refused with it and stores nothing", async () => {
    const parent = await aParent();
    for (const id of ["a", "b"]) expect((await send(parent, spawnRequest(id))).status).toBe(201);
    const message = "a session may have at most 2 child sessions at work at once (maxConcurrentChildSessions)";
    const refused = { status: 429, body: { code: "ChildLimit", error: message } };
    await eventually("a full house", async () => {
      const { status } = await kube.client.get<Session>(Session, {
        namespace: opened.world.tenant,
        name: parent.session,
      });
      return status?.children?.active === 2;
    });
    expect(await send(parent, spawnRequest("c"))).toEqual(refused);
    expect(await childrenOf(parent)).toHaveLength(2);
  });

  it("needs a prompt that is processed", async () => {
    const parent = await aParent({ currentPrompt: null });
    expect(await send(parent, spawnRequest("a"))).toMatchObject({ status: 400, body: { code: "NoPrompt" } });
  });
});

describe("a request about children", () => {
  it.each<[string, ChildRequest | string, number]>([
    ["that is no JSON", "{", 400],
    ["that is unknown", '{"op":"delete","child":"a"}', 400],
    ["with a name that is a path", { op: "get", child: "../secrets" }, 400],
    ["with too long a text", { op: "spawn", requestId: "a", prompt: "x".repeat(64_001) }, 400],
    ["that is too large", "x".repeat(longestChildRequest + 1), 413],
  ])("%s is refused", async (_, asked, status) => {
    expect((await send(await aParent(), asked)).status).toBe(status);
  });

  it("that cancels a child without a prompt stores a prompt that is cancelled from the start", async () => {
    const parent = await aParent();
    const stored = await kube.client.get<Session>(Session, { namespace: opened.world.tenant, name: parent.session });
    const { metadata } = await kube.client.create(Session, makeChild(stored, { bytes: Buffer.from("without") }));
    const answer = await send(parent, { op: "cancel", child: metadata.name! });
    expect(answer).toMatchObject({ status: 200, body: { cancelledPrompts: 0 } });
    expect((await promptsOf(metadata.name)).map(({ spec }) => spec.cancel)).toEqual([true]);
  });

  it("is for the attempt's own pod, and for its own children", async () => {
    const [parent, other] = [await aParent(), await aParent()];
    expect((await send(parent, { op: "list" }, { token: await other.token() })).status).toBe(403);
    expect((await send(parent, { op: "list" }, { attempt: 2 })).status).toBe(503);
    await send(other, spawnRequest("a"));
    const [child] = await childrenOf(other);
    expect(await send(parent, { op: "cancel", child: child!.metadata.name! })).toMatchObject({
      status: 404,
      body: { code: "NotFound" },
    });
    await parent.status({ sandbox: { endTime: new Date().toISOString() } });
    await eventually("it is over", async () => (await send(parent, { op: "list" })).status === 410);
  });
});
