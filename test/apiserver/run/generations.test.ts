import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, Prompt, Run, Session, type AutomationSpec } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

/** Writes of one delivery after that of its session. */
const storingTheStart = "patch Run";
const creatingThePrompt = "create Prompt";

let world: World;
let automation: Automation;

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  automation = await world.createAutomation("triage", { instructions: "Old.", targets: [repository("old")] });
  const first = await world.startOperator();
  await world.until("the automation is judged", async () => conditionOf(await triage(), "Ready") !== undefined);
  await world.rest(first);
  await first.stop();
});
afterEach(() => world.close());

function repository(name: string): AutomationSpec["targets"][number] {
  return { repositoryRef: { name } };
}

function triage(): Promise<Automation> {
  return world.automation("triage");
}

function edit(spec: Partial<AutomationSpec>): Promise<Automation> {
  return world.client.patch(Automation, { namespace: world.namespace, name: "triage" }, { spec });
}

/** A delivery whose operator is dead from this write on. */
async function interruptedRun(diesBefore: string): Promise<string> {
  const { metadata } = await world.createDelivery(automation);
  const operator = await world.startOperator({ diesBefore });
  await world.until("the operator is dead", () => operator.work.reconciles.some((line) => line.endsWith("stopped")));
  await operator.stop();
  return metadata.name ?? "";
}

describe("an automation that is edited while no controller runs", () => {
  it("before a Run's start is stored: the Run is that of the new generation in everything", async () => {
    const name = await interruptedRun(storingTheStart);
    expect((await world.findSession(`${name}-0`))?.spec.serviceAccountName).toBe("runner");
    await edit({ instructions: "New.", targets: [repository("new")], serviceAccountName: "other" });
    const operator = await world.startOperator();
    const prompt = await world.untilPrompt(name);
    expect(prompt.spec.text).toContain("New.\n");
    expect((await world.findSession(`${name}-0`))?.spec).toMatchObject({
      target: { repositoryRefs: [{ name: "new" }] },
      serviceAccountName: "other",
    });
    expect((await world.run(name)).status).toMatchObject({
      automationGeneration: 2,
      sessions: [{ name: `${name}-0`, target: "Repository/new" }],
    });
    const ofSessions = operator.writes.filter((write) => write.endsWith("Session"));
    expect(ofSessions).toEqual(["delete Session", "create Session"]);
  });

  it("after it was stored and before the first prompt: the Run ends and says why", async () => {
    const name = await interruptedRun(creatingThePrompt);
    expect((await world.run(name)).status?.automationGeneration).toBe(1);
    await edit({ instructions: "New." });
    const operator = await world.startOperator();
    const run = await world.untilRun(name, "AutomationChanged");
    expect(conditionOf(run, "Stalled")).toMatchObject({ status: "True", reason: "AutomationChanged" });
    await world.rest(operator);
    expect(await world.names(Prompt)).toEqual([]);
    expect((await triage()).status?.consecutiveFailures).toBe(1);
  });

  it("in its metadata alone, or not at all: the Run gets its prompt", async () => {
    const name = await interruptedRun(creatingThePrompt);
    const key = { namespace: world.namespace, name: "triage" };
    await world.client.patch(Automation, key, { metadata: { annotations: { note: "mine" } } });
    await world.startOperator();
    expect((await world.untilPrompt(name)).spec.text).toContain("Old.\n");
    expect((await world.run(name)).status?.automationGeneration).toBe(1);
  });
});

it("a session whose ServiceAccount was changed before its first prompt is not asked anything", async () => {
  const name = await interruptedRun(creatingThePrompt);
  const key = { namespace: world.namespace, name: `${name}-0` };
  await world.client.patch(Session, key, { spec: { serviceAccountName: "mine" } });
  const operator = await world.startOperator();
  const run = await world.untilRun(name, "SessionChanged");
  expect(conditionOf(run)?.message).toBe(
    `Session ${name}-0 runs as ServiceAccount mine, and its Automation says runner`,
  );
  await world.rest(operator);
  expect(await world.names(Prompt)).toEqual([]);
});

it("a session that was made for the Run beforehand is not taken for its own", async () => {
  const { metadata } = await world.createDelivery(automation);
  const { name = "", uid = "" } = metadata;
  const ownerReferences = [{ apiVersion: "runwright.dev/v1alpha1", kind: Run.kind, name, uid }];
  const session = {
    metadata: { name: `${name}-0`, namespace: world.namespace, ownerReferences },
    spec: { serviceAccountName: "mine" },
  };
  // The API server fills in the rest.
  await world.client.create(Session, session as Session);
  const operator = await world.startOperator();
  await world.untilRun(name, "NameTaken");
  await world.rest(operator);
  expect(await world.names(Prompt)).toEqual([]);
});
