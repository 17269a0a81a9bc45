import { stat } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import type { Bundle } from "../../../src/api/runtime/bundle.ts";
import { PromptStatus } from "../../../src/api/v1alpha1/prompt.ts";
import { eventually, type SandboxFixture } from "../../support/runtime-world.ts";
import { openSandboxWorkWorld, type SandboxWorkWorld } from "../../support/sandbox-work-world.ts";

// Each starts three processes, which on a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000 });

const program = join(import.meta.dirname, "..", "..", "support", "acp-agent.ts");
const acp = { command: [process.execPath, program], protocol: "acp" as const };

let work: SandboxWorkWorld;

beforeAll(async () => {
  work = await openSandboxWorkWorld({ username: "robot", password: "planted-password" });
});
afterAll(() => work.close());

async function start(rest: Partial<Bundle["agent"]> = {}): Promise<SandboxFixture> {
  const { sandbox } = await work.launch({ bundle: { agent: { ...acp, ...rest } } });
  await sandbox.noted("ready-time");
  return sandbox;
}

/** How a prompt ended: reason and message of its verdict, and what the agent said. */
async function ask(sandbox: SandboxFixture, text: string): Promise<object> {
  const { name } = await sandbox.prompt(text);
  const status = await sandbox.settled(name);
  const { conditions, result, usage } = PromptStatus.parse(status);
  const succeeded = conditions?.find(({ type }) => type === "Succeeded");
  return { reason: succeeded?.reason, message: succeeded?.message, said: result?.summary, usage };
}

it("speaks to one agent for all prompts, and to another one after it has ended", async () => {
  const sandbox = await start();
  expect(await ask(sandbox, "echo Größe > kept.txt; cat kept.txt")).toMatchObject({
    reason: "Completed",
    said: "turn 1: Größe",
    usage: { inputTokens: 3, outputTokens: 1, costUsd: "0.25" },
  });
  expect(await ask(sandbox, `cat kept.txt; : ${"x".repeat(60_000)}`)).toMatchObject({
    said: "turn 2: Größe",
    usage: { outputTokens: 2, costUsd: "0.25" },
  });
  expect(await ask(sandbox, "crash")).toMatchObject({
    reason: "Failed",
    message: "the agent exited with status 7: no memory left",
  });
  expect(await ask(sandbox, "cat kept.txt")).toMatchObject({ reason: "Completed", said: "turn 1: Größe" });
});

it("takes what is said after an answer for no part of the next prompt", async () => {
  const sandbox = await start();
  expect(await ask(sandbox, "speak late")).toMatchObject({ reason: "Completed", said: "Begin 1. End 1." });
  expect(await ask(sandbox, "speak late")).toMatchObject({ reason: "Completed", said: "Begin 2. End 2." });
});

it("counts what a cancelled prompt has cost", async () => {
  const { sandbox, processes } = await work.launch({ bundle: { agent: acp }, maxSessionCostUsd: "100" });
  await sandbox.noted("ready-time");
  const { name } = await sandbox.prompt("go on");
  await eventually("begun", () => stat(join(processes.workspace, "begun")).catch(() => undefined));
  await sandbox.settle(name, "Cancelled");
  expect(await sandbox.noted("cost-usd")).toBe("0.25");
  const usage = { costUsd: "0.25", sandboxCostUsd: "0.5" };
  expect(await ask(sandbox, "true")).toMatchObject({ said: "turn 2:", usage });
  expect((await sandbox.readPrompt(name)).status).toMatchObject({ usage: { ...usage, sandboxCostUsd: "0.25" } });
});

it("rejects what the agent asks where the class says so", async () => {
  const sandbox = await start({ permissionRequests: "Reject" });
  expect(await ask(sandbox, "touch made.txt")).toMatchObject({ reason: "Completed", said: "turn 1: not allowed" });
});
