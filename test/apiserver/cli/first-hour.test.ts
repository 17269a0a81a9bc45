import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Session } from "../../../src/api/v1alpha1/index.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { missingLines } from "../../e2e/support/tutorial-steps.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { World } from "../session/world.ts";

interface Step {
  command: string;
  printed: string;
}

const page = await readFile(join(import.meta.dirname, "..", "..", "..", "docs", "sessions.md"), "utf8");
const steps = stepsUnder("A first hour");

let world: World;
beforeAll(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
  await world.createRepository("checkout");
  await world.startOperator();
});
afterAll(() => world.close());

/** The commands of a section's consoles, each with what the page says that it prints. */
function stepsUnder(heading: string): Step[] {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const consoles = [...section.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body);
  return consoles
    .join("")
    .split(/^\$ kubectl runwright /m)
    .slice(1)
    .map(stepOf);
}

function stepOf(text: string): Step {
  const [command = "", ...printed] = text.split("\n");
  return { command, printed: printed.join("\n") };
}

/** As a shell splits a line. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
}

/** The plugin waits for the controller as long as it takes, however slow the machine is. */
const patient: Clock = { ...systemClock, monotonicMs: () => 0 };

/** Calls the plugin; at the sight of a line on standard error the double of the runtime does its part. */
async function call(command: string): Promise<string> {
  const here = wordsOf(command.replaceAll("shop/", `${world.namespace}/`));
  // The page's cluster has a default class, and an account for its sandboxes.
  const account = command.startsWith("session create") ? ["--class", world.namespace, "--run-as", "runner"] : [];
  const seen: string[] = [];
  let result: { status: number; out: string; err: string } | undefined;
  const argv = [...here, ...account, "--kubeconfig", testCluster().kubeconfig];
  const called = runPlugin(argv, { clock: patient, onNote: (line) => void seen.push(line) });
  void called.then((came) => (result = came));
  if (command.includes("--follow")) await beRuntime((words) => seen.some((line) => line.includes(words)));
  await world.until(`${command} has returned`, () => result !== undefined);
  const { status, out, err } = await called;
  expect([command, status]).toEqual([command, 0]);
  return `${err}\n${out}`.replaceAll(world.namespace, "shop");
}

/** Brings the sandbox up once the plugin has said that the prompt is next, and completes it once it is processed. */
async function beRuntime(hasSaid: (words: string) => boolean): Promise<void> {
  const session = await world.client.get<Session>(Session, { namespace: world.namespace, name: "upgrade" });
  await world.until("the prompt is next", () => hasSaid("is next"));
  await world.bringUp(session);
  await world.until("the prompt is processed", () => hasSaid("is processed"));
  await world.settlePrompt((await currentPrompt()) ?? "", true, "Completed", {
    summary: "All 212 tests pass.",
    branch: "upgrade/next",
  });
  await world.untilSession("upgrade", "ended", ({ queue }) => queue === undefined);
}

async function currentPrompt(): Promise<string | undefined> {
  const { status } = await world.client.get<Session>(Session, { namespace: world.namespace, name: "upgrade" });
  return status?.currentPrompt?.name;
}

it("docs/sessions.md shows a first hour as it is", async () => {
  expect(steps.length).toBeGreaterThan(5);
  for (const { command, printed } of steps) {
    const actual = await call(command);
    expect(missingLines(printed, actual), `${command} printed:\n${actual}`).toEqual([]);
    if (!command.startsWith("prompt") || command.includes("--follow")) continue;
    await world.until("a prompt is processed", async () => (await currentPrompt()) !== undefined);
  }
});
