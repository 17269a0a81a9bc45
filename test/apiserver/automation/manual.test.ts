import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, it } from "vitest";

import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../run/world.ts";

const run = promisify(execFile);

let world: World;
let folder: string;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  folder = await mkdtemp(join(tmpdir(), "manual-"));
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

/** What a person types; returns what kubectl printed. */
async function create(manifest: string): Promise<string> {
  const { kubectl, kubeconfig } = testCluster();
  const file = join(folder, "run.yaml");
  await writeFile(file, manifest);
  const { stdout } = await run(kubectl, ["--kubeconfig", kubeconfig, "-n", world.namespace, "create", "-f", file]);
  return stdout;
}

function aRun(name: string, metadata = ""): string {
  return `
apiVersion: runwright.dev/v1alpha1
kind: Run
metadata: {name: ${name}${metadata}}
spec: {automationRef: {name: triage}, trigger: {type: Manual}}
`;
}

it("a Run that names the automation and nothing else is enough; a second one is skipped while it is active", async () => {
  const automation = await world.createAutomation("triage");
  await world.startOperator();
  expect(await create(aRun("by-hand"))).toContain("by-hand created");
  const started = await world.untilRun("by-hand", "Running");
  expect(started.metadata.labels).toMatchObject({ "runwright.dev/automation-uid": automation.metadata.uid });
  expect((await world.automation("triage")).status?.active).toMatchObject({ name: "by-hand" });
  const prompt = await world.untilPrompt("by-hand");
  expect(prompt.spec.text).toBe("Fix it.");

  await create(aRun("again"));
  const skipped = await world.untilRun("again", "Skipped");
  expect(conditionOf(skipped, "Stalled")).toMatchObject({ reason: "ConcurrentRunActive" });
  expect(conditionOf(skipped)?.message).toContain("by-hand");
  expect(skipped.status).not.toHaveProperty("sessions");
});

it("a paused automation starts a Run only of who says so", async () => {
  await world.createAutomation("triage", { suspend: true });
  await world.startOperator();
  await create(aRun("by-hand"));
  const skipped = await world.untilRun("by-hand", "Skipped");
  expect(conditionOf(skipped, "Stalled")).toMatchObject({ reason: "AutomationPaused" });
  await create(aRun("said-so", ', annotations: {runwright.dev/while-paused: "true"}'));
  await world.untilRun("said-so", "Running");
  expect(conditionOf(await world.automation("triage"), "Paused")).toMatchObject({ reason: "Suspended" });
});
