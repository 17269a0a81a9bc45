import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { Prompt, Session, Skill, SkillSpec } from "../../src/api/v1alpha1/index.ts";
import { isSettled } from "../../src/domain/prompts/prompt-state.ts";
import { configMaps } from "../../src/kube/core-resources.ts";
import type { FollowedRun } from "./support/follow.ts";
import { examineBranch } from "./support/git-evidence.ts";
import { openCodeAgent } from "./support/opencode-agent.ts";
import { samplePayload } from "./support/payload.ts";
import { modelName, startScriptedModel } from "./support/scripted-model.ts";
import { succeeded } from "./support/stages.ts";
import { kubectl } from "./support/workbench.ts";
import { ensureOpenCodeImage, loadImages } from "../../hack/images/images.ts";
import { until } from "../support/kube.ts";
import { accountName, repositoryName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

// A real coding agent in a sandbox pod, with one conversation for four prompts: the delivery's own, one that the model is
// slow to answer, one more, and one for which it uses the runtime's tools to start a child session and ask it again.

const pollMs = 250;

let stage: Stage;
let tenant: Tenant;
let incident: string;
let followed: FollowedRun;
let session: string;
let prompts: Record<"first" | "slow" | "next" | "last", Prompt>;

beforeAll(async () => {
  stage = await openStage("opencode");
  const { bench, git, narrator } = stage;
  const { sandbox } = inject("release");
  const image = await ensureOpenCodeImage(sandbox, narrator.say);
  if (bench.local) await loadImages(bench.local, [image], narrator.say);
  const model = await startScriptedModel(bench, git.namespace, sandbox.name, narrator);
  tenant = await makeTenant(stage, openCodeAgent(model, image.name));

  const sample = await samplePayload({ keyed: true });
  ({ incident } = sample);
  const started = await tenant.start("a delivery for a coding agent", sample.body);
  session = `${started.name}-0`;
  // The Run's session goes on until it has nothing more to do. There is no sandbox before it has its first prompt.
  await tenant.watcher.until(started.name, ({ pod }) => pod !== undefined, "the sandbox pod");
  const slow = await ask("slow", "Please take your time.");
  const next = await ask("next", "What was that?");
  const last = await ask("last", "Please ask a child.");
  followed = await tenant.watcher.follow(started);
  await until("the model is asked and does not answer", async () => {
    await delay(pollMs);
    return (await modelLog()).includes("taking time");
  });
  await bench.client.patch(Prompt, keyOf(slow), { spec: { cancel: true } });
  // A child's sandbox starts for it.
  await until("the last prompt has ended", async () => isSettled(await read(last)), 300_000);
  prompts = {
    first: await read(`${session}-1`),
    slow: await read(slow),
    next: await read(next),
    last: await read(last),
  };
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });
const read = (name: string): Promise<Prompt> => stage.bench.client.get(Prompt, keyOf(name));
const modelLog = (): Promise<string> =>
  kubectl(stage.bench, ["-n", stage.git.namespace, "logs", `deployment/${modelName}`]);

async function ask(name: string, text: string): Promise<string> {
  await stage.bench.client.create(Prompt, { metadata: keyOf(name), spec: { sessionRef: { name: session }, text } });
  return name;
}

it("edits, tests and pushes with its own tools, as it was allowed to", async () => {
  expect(succeeded(followed.run)).toMatchObject({ status: "True", reason: "Completed" });
  const { branch = "", commit, summary } = followed.run.status?.result ?? {};
  expect(branch).toBe(`runwright/fix-${incident}`);
  expect(summary).toContain(incident);
  expect(await examineBranch(stage.bench, stage.git, branch)).toMatchObject({ commit, testsPass: true });
});

it("says what it used", () => {
  expect(prompts.first.status?.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
});

it("ends a prompt that is cancelled while the model is slow", () => {
  expect(succeeded(prompts.slow)).toMatchObject({ status: "False", reason: "Cancelled" });
});

it("answers the next one in the same conversation", () => {
  expect(succeeded(prompts.next)).toMatchObject({ status: "True", reason: "Completed" });
  expect(prompts.next.status?.result?.summary).toBe("Prompt number 3 of this conversation.");
});

it("starts a child session in a sandbox of its own and asks it a second time, by the runtime's tools", async () => {
  expect(succeeded(prompts.last)).toMatchObject({ status: "True", reason: "Completed" });
  const said = "The child said: Prompt number 1 of this conversation. Prompt number 2 of this conversation.";
  expect(prompts.last.status?.result?.summary).toBe(said);
  const children = async (): Promise<Session[]> => {
    const { items } = await stage.bench.client.list(Session, { namespace: tenant.namespace });
    return items.filter(({ metadata }) => metadata.name !== session);
  };
  await until("both are counted", async () => (await children())[0]?.status?.promptsEnded === 2);
  expect(await children()).toMatchObject([
    { metadata: { ownerReferences: [{ kind: "Session", name: session }] }, status: { sandbox: { attempt: 1 } } },
  ]);
});

it("remembers in a new sandbox what was said in one that was stopped for idleness", async () => {
  const { client } = stage.bench;
  const nonce = randomBytes(8).toString("hex");
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
  await client.create(Session, { metadata: keyOf("memory"), spec: { ...use, target: {}, idleTimeoutSeconds: 1 } });
  const say = async (name: string, text: string): Promise<Prompt> => {
    await client.create(Prompt, { metadata: keyOf(name), spec: { sessionRef: { name: "memory" }, text } });
    await until(`${name} has ended`, async () => isSettled(await read(name)), 300_000);
    return read(name);
  };
  await say("told", `The word is ${nonce}.`);
  const sandbox = async (): Promise<Session["status"]> => (await client.get(Session, keyOf("memory"))).status;
  await until("its sandbox has ended", async () => (await sandbox())?.sandbox?.endTime !== undefined);
  const { status } = await say("asked", "Which word was it?");
  expect(status?.result?.summary).toBe(`The word was ${nonce}, said in prompt 1 of 2.`);
  expect((await sandbox())?.sandbox?.attempt).toBe(2);
});

it("does what stands in a Skill alone, with a program from a ConfigMap, and lists the Skill once", async () => {
  const { bench, git } = stage;
  const { client } = bench;
  const [trailer, branch] = [randomBytes(8), randomBytes(8)].map((bytes) => bytes.toString("hex"));
  await client.create(configMaps, {
    metadata: keyOf("commit-rules"),
    data: { "branch.sh": `#!/bin/sh\necho runwright/skill-${branch ?? ""}\n` },
  });
  const branchProgram = { path: "scripts/branch.sh", configMapKeyRef: { name: "commit-rules", key: "branch.sh" } };
  const spec = SkillSpec.parse({
    description: "How commits end here. Use it before a commit.",
    body: `# Commits\n\nEnd each message with this line:\n\nReviewed-by-skill: ${trailer ?? ""}\n`,
    files: [{ ...branchProgram, executable: true }],
    appliesTo: { repositories: [repositoryName] },
  });
  await client.create(Skill, { metadata: keyOf("commit-rules"), spec });
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName, idleTimeoutSeconds: 0 };
  const target = { repositoryRefs: [{ name: repositoryName }] };
  await client.create(Session, { metadata: keyOf("skilled"), spec: { ...use, target } });
  const text = "Please follow the skill commit-rules.";
  await client.create(Prompt, { metadata: keyOf("skilled-1"), spec: { sessionRef: { name: "skilled" }, text } });
  await until("it has ended", async () => isSettled(await read("skilled-1")), 300_000);
  expect(succeeded(await read("skilled-1"))).toMatchObject({ status: "True", reason: "Completed" });
  expect((await read("skilled-1")).status?.result?.summary).toBe("The skill was listed 1 times.");
  expect((await client.get(Session, keyOf("skilled"))).status?.skills).toMatchObject({ names: ["commit-rules"] });
  const { message } = await examineBranch(bench, git, `runwright/skill-${branch ?? ""}`);
  expect(message).toBe(`Follow the skill\n\nReviewed-by-skill: ${trailer ?? ""}`);
});
