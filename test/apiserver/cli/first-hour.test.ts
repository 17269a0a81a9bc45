import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Session } from "../../../src/api/v1alpha1/index.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { missingLines } from "../../e2e/support/tutorial-steps.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { type ConsoleStep, consoleSteps, wordsOf } from "../../support/console-steps.ts";
import { World } from "../session/world.ts";

const page = await readFile(join(import.meta.dirname, "..", "..", "..", "docs", "use", "sessions.md"), "utf8");
const steps = consoleSteps(page, ["A first hour"]).map(({ command, ...step }) => ({
  ...step,
  command: command.replace(/^runwright /, ""),
}));

let world: World;
beforeAll(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
  await world.createRepository("checkout");
  await world.startOperator();
});
afterAll(() => world.close());

/** The plugin waits for the controller as long as it takes, however slow the machine is. */
const patient: Clock = { ...systemClock, monotonicMs: () => 0 };

/** Calls the plugin; at the sight of a line on standard error the double of the runtime does its part. */
async function call({ command, printed }: ConsoleStep): Promise<string> {
  const here = wordsOf(command.replaceAll("shop/", `${world.namespace}/`));
  // The page's cluster has a default class, and an account for its sandboxes.
  const account = command.startsWith("session create") ? ["--class", world.namespace, "--run-as", "runner"] : [];
  const seen: string[] = [];
  let result: { status: number; out: string; err: string } | undefined;
  const argv = [...here, ...account, "--kubeconfig", testCluster().kubeconfig];
  const called = runPlugin(argv, { clock: patient, onNote: (line) => void seen.push(line) });
  void called.then((came) => (result = came));
  if (command.includes("--follow")) await beRuntime(printed, (words) => seen.some((line) => line.includes(words)));
  await world.until(`${command} has returned`, () => result !== undefined);
  const { status, out, err } = await called;
  expect([command, status]).toEqual([command, 0]);
  return `${err}\n${out}`.replaceAll(world.namespace, "shop");
}

/** Brings the first sandbox up once the plugin says that the prompt is next, and completes it as the page shows once it is processed. */
async function beRuntime(printed: string, hasSaid: (words: string) => boolean): Promise<void> {
  const session = await world.client.get<Session>(Session, { namespace: world.namespace, name: "upgrade" });
  if (session.status?.sandbox === undefined) {
    await world.until("the prompt is next", () => hasSaid("is next"));
    await world.bringUp(session);
  }
  await world.until("the prompt is processed", () => hasSaid("is processed"));
  const [, branch] = /^Branch: (.*)$/m.exec(printed) ?? [];
  const summary = printed.trim().split("\n").at(-1) ?? "";
  await world.settlePrompt((await currentPrompt()) ?? "", true, "Completed", {
    summary,
    ...(branch === undefined ? {} : { branch }),
  });
  await world.untilSession("upgrade", "ended", ({ queue }) => queue === undefined);
}

async function currentPrompt(): Promise<string | undefined> {
  const { status } = await world.client.get<Session>(Session, { namespace: world.namespace, name: "upgrade" });
  return status?.currentPrompt?.name;
}

it("docs/use/sessions.md shows a first hour as it is", async () => {
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps) {
    const { command, printed } = step;
    const actual = await call(step);
    expect(missingLines(printed, actual), `${command} printed:\n${actual}`).toEqual([]);
    if (!command.startsWith("prompt") || command.includes("--follow")) continue;
    await world.until("a prompt is processed", async () => (await currentPrompt()) !== undefined);
  }
});
