import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { bundlePlugin } from "../../hack/build/bundles.ts";
import { testCluster } from "../support/cluster.ts";
import { openWebWorld, viewRules, type WebWorld } from "./world.ts";

let world: WebWorld;
let folder: string;
let plugin: ChildProcess;
/** What the command printed. */
let address: string;

beforeAll(async () => {
  world = await openWebWorld();
  folder = await mkdtemp(join(tmpdir(), "runwright-ui-"));
  const script = join(folder, "kubectl-runwright.cjs");
  await bundlePlugin(script);
  const token = await world.people.caller(viewRules);
  const config = parse(await readFile(testCluster().kubeconfig, "utf8")) as { users: { user: object }[] };
  for (const entry of config.users) entry.user = { token };
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, stringify(config), { mode: 0o600 });
  const authority = join(folder, "ca.pem");
  await writeFile(authority, world.people.world.ca);
  const { tenant } = world.people.world;
  const who = ["--kubeconfig", kubeconfig, "--kubeconfig-token", "-n", tenant];
  const where = ["--server", world.people.gateway.peopleUrl, "--certificate-authority", authority];
  plugin = spawn(process.execPath, [script, "ui", ...who, ...where], { stdio: ["ignore", "ignore", "pipe"] });
  address = await addressOf(plugin);
});
afterAll(async () => {
  plugin.kill("SIGTERM");
  if (plugin.exitCode === null && plugin.signalCode === null) await once(plugin, "exit");
  await rm(folder, { recursive: true });
  await world.close();
});

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of stderr as AsyncIterable<Buffer>) {
    text += chunk.toString();
    const found = /http:\/\/127\.0\.0\.1:\d+\/\?code=\S+/.exec(text);
    if (found) return found[0];
  }
  throw new Error(`no address was printed: ${text}`);
}

it("opens for the browser that has the address, once, with the rights of the kubeconfig", async () => {
  await world.people.makeAutomation({ spec: { displayName: "Triage" } });
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText("Triage").waitFor();
  expect(page.url()).toBe(`${new URL(address).origin}/`);
  expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  await page.getByText("Triage").click();
  await page.getByRole("heading", { name: "Webhook" }).waitFor();
  expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);

  const again = await world.browser.newContext();
  const other = await again.newPage();
  const answer = await other.goto(address);
  expect(answer?.status()).toBe(403);
  await other.goto(new URL(address).origin);
  await other.getByText("The address of this page works once.").waitFor();
  await again.close();
  await context.close();
});
