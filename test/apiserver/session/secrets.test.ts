import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bundle } from "../../../src/api/runtime/bundle.ts";
import {
  attemptName,
  Environment,
  globalSecretName,
  Repository,
  scopeLabels,
  type SecretScopeKind,
  type Session,
  type SessionSpec,
} from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

type Values = Readonly<Record<string, string>>;

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories", "environments"], verbs: ["get"] }]);
  operator = await world.startOperator();
});
afterEach(() => world.close());

async function aScope(
  kind: SecretScopeKind,
  name: string,
  values: Values,
  labels = scopeLabels(kind, name),
): Promise<void> {
  const metadata = { namespace: world.namespace, name: kind === "global" ? globalSecretName : `${name}-env`, labels };
  await world.client.create(secrets, { metadata, stringData: values });
}

async function aRepository(name: string, values?: Values): Promise<void> {
  if (values) await aScope("repository", name, values);
  await world.createRepository(name, values ? { secretRef: { name: `${name}-env` } } : {});
}

async function anEnvironment(name: string, repositories: string[], values?: Values): Promise<void> {
  if (values) await aScope("environment", name, values);
  const repositoryRefs = repositories.map((one) => ({ name: one }));
  const spec = { repositoryRefs, ...(values ? { secretRef: { name: `${name}-env` } } : {}) };
  await world.client.create(Environment, { metadata: { name, namespace: world.namespace }, spec });
}

const onRepositories = (...names: string[]): SessionSpec["target"] => ({
  repositoryRefs: names.map((name) => ({ name })),
});

async function start(target: SessionSpec["target"]): Promise<Session> {
  const session = await world.createSession("fix", { target });
  await world.createPrompt(session, 1);
  return session;
}

/** What the gateway hands to the runtime of one attempt. */
async function environmentOf({ metadata }: Session, attempt: number): Promise<Values> {
  await world.untilPod(attempt);
  const key = { namespace: world.sessionsNamespace, name: attemptName(metadata.uid ?? "", attempt) };
  const { data } = await world.client.get(secrets, key);
  return Bundle.parse(JSON.parse(Buffer.from(data?.["bundle.json"] ?? "", "base64").toString())).environment;
}

/** The verdict on the prompt of a session that cannot be started; nothing may have been made for it. */
async function refusal(prompt = "fix-1"): Promise<object | undefined> {
  const verdict = async () => conditionOf(await world.prompt(prompt), "Succeeded");
  await world.until("a verdict", async () => (await verdict()) !== undefined);
  await world.rest(operator);
  expect(await world.pods()).toEqual([]);
  expect(await world.bundles()).toEqual([]);
  return verdict();
}

describe("a session gets", () => {
  it("the namespace's secrets without a target", async () => {
    await aScope("global", "", { A: "1" });
    expect(await environmentOf(await start({}), 1)).toEqual({ A: "1" });
  });

  it("its Repository's over the namespace's, names that differ in case being one", async () => {
    await aScope("global", "", { a: "1", B: "1", F: "x" });
    await aRepository("web", { A: "2", F: "" });
    expect(await environmentOf(await start(onRepositories("web")), 1)).toEqual({ A: "2", B: "1", F: "" });
  });

  it("its first Repository's over the others', and theirs over the namespace's", async () => {
    await aScope("global", "", { E: "0" });
    await aRepository("web", { D: "web" });
    await aRepository("api", { D: "api", E: "1" });
    expect(await environmentOf(await start(onRepositories("web", "api")), 1)).toEqual({ D: "web", E: "1" });
  });

  it("its Environment's and not those of the Repositories in it", async () => {
    await aRepository("web", { C: "1", D: "1" });
    await anEnvironment("shop", ["web"], { D: "2" });
    expect(await environmentOf(await start({ environmentRef: { name: "shop" } }), 1)).toEqual({ D: "2" });
  });

  it("names that every object has by itself, and values as they are", async () => {
    const values = JSON.parse('{"__proto__":"$(HOME)/x","constructor":"`a` \\"b\\"\\n"}') as Values;
    await aScope("global", "", values);
    expect(JSON.stringify(await environmentOf(await start({}), 1))).toBe(JSON.stringify(values));
  });

  it("values that are new with its next sandbox, and none while one runs", async () => {
    await aRepository("web", { TOKEN: "old" });
    const session = await start(onRepositories("web"));
    await world.bringUp(session);
    const key = { namespace: world.namespace, name: "web-env" };
    await world.client.patch(secrets, key, { stringData: { TOKEN: "new" } });
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    expect(await environmentOf(session, 1)).toEqual({ TOKEN: "old" });
    await world.settlePrompt("fix-1", true, "Completed");
    await world.until("the sandbox is gone", async () => (await world.pods()).length === 0);
    await world.createPrompt(session, 2);
    expect(await environmentOf(session, 2)).toEqual({ TOKEN: "new" });

    await world.client.delete(secrets, key);
    await world.bringUp(session, 2);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
    await world.settlePrompt("fix-2", true, "Completed");
    await world.until("the sandbox is gone", async () => (await world.pods()).length === 0);
    await world.createPrompt(session, 3);
    expect(await refusal("fix-3")).toMatchObject({
      reason: "SecretNotFound",
      message: `Secret ${world.namespace}/web-env, the secrets of repository web, does not exist. Create it.`,
    });
  });
});

it("a Secret that is removed while a sandbox boots is missed by the one that replaces it, which says so", async () => {
  await aRepository("web", { TOKEN: "old" });
  const session = await start(onRepositories("web"));
  const pod = await world.untilPod(1);
  await world.reportRunning(pod.metadata.name!);
  const booting = await world.untilSession("fix", "boots", ({ nextDeadline }) => nextDeadline !== undefined);
  await world.client.delete(secrets, { namespace: world.namespace, name: "web-env" });
  await world.rest(operator, 0);
  // What boots has what it was given.
  expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  expect(await environmentOf(session, 1)).toEqual({ TOKEN: "old" });

  await world.passWithGateways(Date.parse(booting.status!.nextDeadline!.time) - world.clock.now().getTime());
  expect(await refusal()).toMatchObject({
    status: "False",
    reason: "SecretNotFound",
    message: `Secret ${world.namespace}/web-env, the secrets of repository web, does not exist. Create it.`,
  });
  expect((await world.session("fix")).status?.sandbox).toMatchObject({ attempt: 1, endReason: "ConnectTimeout" });
});

describe("a session is not started", () => {
  const sized = (sizes: Record<string, number>): Values =>
    Object.fromEntries(Object.entries(sizes).map(([key, bytes]) => [key, "x".repeat(bytes)]));

  it("with more than 131,072 bytes, which it tells by scope, and is in an order that makes them fewer", async () => {
    await aScope("global", "", sized({ GA: 10_000, GB: 10_000, SHARED: 10_000 }));
    await aRepository("web", sized({ W1: 12_000, W2: 12_000, W3: 12_000, W4: 12_000, SHARED: 6_000 }));
    await aRepository("api", sized({ A1: 15_000, A2: 15_000, A3: 15_000, SHARED: 16_000 }));
    await aRepository("docs", sized({ D: 15_000 }));
    await start(onRepositories("web", "api", "docs"));
    expect(await refusal()).toMatchObject({
      status: "False",
      reason: "SecretsTooLarge",
      message:
        "the secrets of a session have 134000 bytes together and may have at most 131072: repository web 54000 bytes (5 keys), repository api 45000 bytes (3 keys), global 20000 bytes (2 keys), repository docs 15000 bytes (1 key). Shorten or remove secrets of the scopes that the message names.",
    });
    // A person has to act, and nothing is held back thereafter.
    expect((await world.session("fix")).status?.startFailures).toBeUndefined();

    const other = await world.createSession("other", { target: onRepositories("api", "web") });
    await world.createPrompt(other, 1);
    const got = await environmentOf(other, 1);
    expect(Object.values(got).reduce((sum, value) => sum + value.length, 0)).toBe(129_000);
  });

  it.each([
    ["whose Secret is not labelled as its own", {}],
    ["whose Secret is another's", scopeLabels("repository", "api")],
  ])("on a Repository %s", async (_, labels) => {
    await aScope("repository", "web", { TOKEN: "planted" }, labels);
    const spec = { url: "https://git.example.com/web.git", branch: "main", secretRef: { name: "web-env" } };
    await world.client.create(Repository, { metadata: { name: "web", namespace: world.namespace }, spec });
    await start(onRepositories("web"));
    const verdict = await refusal();
    expect(verdict).toMatchObject({ reason: "InvalidSecret" });
    expect(JSON.stringify([verdict, await world.session("fix")])).not.toContain("planted");
  });

  it("where the namespace's Secret is not labelled", async () => {
    await aScope("global", "", { TOKEN: "planted" }, {});
    await start({});
    expect(await refusal()).toMatchObject({ reason: "InvalidSecret" });
  });

  it("with a value that no environment variable can hold", async () => {
    const metadata = { namespace: world.namespace, name: globalSecretName, labels: scopeLabels("global", "") };
    await world.client.create(secrets, { metadata, data: { BINARY: Buffer.of(0xff, 0xfe).toString("base64") } });
    await start({});
    const message = expect.stringContaining("holds under BINARY what is no UTF-8 text") as string;
    expect(await refusal()).toMatchObject({ reason: "InvalidSecret", message });
  });
});
