import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Session } from "../../src/api/v1alpha1/index.ts";
import { type ConsoleStep, consoleSteps, wordsOf } from "../support/console-steps.ts";
import { until } from "../support/kube.ts";
import { makePerson } from "./support/people.ts";
import { runPlugin } from "./support/plugin.ts";
import { accountName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { missingLines } from "./support/tutorial-steps.ts";
import { kubectl } from "./support/workbench.ts";

const script = await readFile(join(import.meta.dirname, "support", "first-hour-agent.sh"), "utf8");
const page = await readFile(join(import.meta.dirname, "..", "..", "docs", "use", "sessions.md"), "utf8");
const steps = consoleSteps(page, ["A first hour", "After the first hour"]);

let stage: Stage;
let tenant: Tenant;
let reader: string;

beforeAll(async () => {
  stage = await openStage("first-hour");
  tenant = await makeTenant(stage, { command: ["bash", "-c", script] });
  reader = await makePerson(stage.bench, tenant.namespace, "view");
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const statusOf = async (name: string): Promise<Session["status"]> =>
  (await stage.bench.client.get<Session>(Session, { namespace: tenant.namespace, name })).status;

/** The page's cluster has a default class, an account for its sandboxes, and a person at the keyboard. */
function more(command: string): string[] {
  if (command.includes("session create")) return ["--class", tenant.namespace, "--run-as", accountName];
  return command.includes("session logs") ? ["--service-account", `${tenant.namespace}/${reader}`] : [];
}

async function type({ command }: ConsoleStep): Promise<string> {
  const words = wordsOf(command.replaceAll(/\bshop\b/g, tenant.namespace));
  const printed =
    words[0] === "runwright"
      ? await runPlugin(stage.bench, [...words.slice(1), ...more(command)], { withNotes: true })
      : await kubectl(stage.bench, words);
  return printed.replaceAll(tenant.namespace, "shop");
}

/** A reader takes time between two commands: what is next is processed then, and after ten minutes the sandbox has ended. */
async function passTime(next: ConsoleStep | undefined): Promise<void> {
  await until("the next prompt is processed", async () => {
    const { queue, currentPrompt } = (await statusOf("upgrade")) ?? {};
    return queue === undefined || currentPrompt !== undefined;
  });
  if (next?.command.startsWith("get session") !== true) return;
  const key = { namespace: tenant.namespace, name: "upgrade" };
  await stage.bench.client.patch(Session, key, { spec: { idleTimeoutSeconds: 1 } });
  await until("the sandbox has ended", async () => (await statusOf("upgrade"))?.sandbox?.endTime !== undefined);
}

it("docs/use/sessions.md shows a first hour, and what comes after it, as they are on a cluster", async () => {
  expect(steps.length).toBeGreaterThan(14);
  for (const [index, step] of steps.entries()) {
    const actual = await type(step);
    // The plugin looks now and then, and a state can pass between two looks.
    const missing = missingLines(step.printed, actual).filter((line) => !/ is (next; .*|processed)$/.test(line));
    expect(missing, `${step.command} printed:\n${actual}`).toEqual([]);
    await passTime(steps[index + 1]);
  }
});
