import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { permissions as automationPermissions } from "../../../src/controllers/automation/permissions.ts";
import { permissions as runPermissions } from "../../../src/controllers/run/permissions.ts";
import { collectingPlane } from "../../support/collecting-plane.ts";
import { conditionOf, World } from "./world.ts";

const plane = collectingPlane();
/** The controllers of Automations and Runs have the rights that they declare and no others. */
const permissions = [...automationPermissions, ...runPermissions];
let world: World;

beforeEach(async () => {
  world = await World.make(plane.kubeconfig, { permissions });
});
afterEach(() => world.close());

const policies = ["Foreground", "Background", "Orphan"] as const;
const states = ["running", "stopped"] as const;
const cases = policies.flatMap((policy) => states.map((state) => ({ policy, state })));

/** A started Run whose session has begun to work. */
async function startedRun(): Promise<{ name: string; automation: Automation; stop: () => Promise<void> }> {
  const automation = await world.createAutomation("triage");
  const operator = await world.startOperator();
  const { metadata } = await world.createDelivery(automation);
  const name = metadata.name!;
  await world.untilPrompt(name);
  await world.untilRun(name, "Running");
  const session = (await world.findSession(`${name}-0`))!;
  await world.client.patchStatus(Session, session, { ...session.status, promptsEnded: 1 });
  return { name, automation, stop: () => operator.stop() };
}

/** Deletes with the controllers in the given state and has them running afterwards. */
async function deleteWhile(
  { state, policy }: (typeof cases)[number],
  stop: () => Promise<void>,
  [kind, name]: [typeof Automation | typeof Run | typeof Session | typeof Prompt, string],
): Promise<void> {
  if (state === "stopped") await stop();
  const key = { namespace: world.namespace, name };
  await world.client.delete(kind, key, { propagationPolicy: policy });
  await world.until(
    `${kind.kind} is gone`,
    async () => (await world.client.find<Run>(kind as typeof Run, key)) === undefined,
  );
  if (state === "stopped") await world.startOperator();
}

describe.each(cases)("deleted $policy with the controllers $state", (how) => {
  it("an Automation takes its started Runs and all below them with it", async () => {
    const { stop } = await startedRun();
    await deleteWhile(how, stop, [Automation, "triage"]);
    await world.until("nothing is left", async () => {
      const left = await Promise.all([Run, Session, Prompt].map((kind) => world.names(kind as typeof Run)));
      return left.every((names) => names.length === 0);
    });
  });

  it("a Run is not started again, and what it owned goes unless it was to be orphaned", async () => {
    const { name, stop } = await startedRun();
    await deleteWhile(how, stop, [Run, name]);
    const isOrphaned = how.policy === "Orphan";
    await world.until("the collector is through", async () => {
      const sessions = await world.names(Session);
      const prompts = await world.names(Prompt);
      return isOrphaned ? sessions.length === 1 : sessions.length + prompts.length === 0;
    });
    expect(await world.names(Run)).toEqual([]);
  });

  it("a Session ends its Run, and none is made again", async () => {
    const { name, stop } = await startedRun();
    await deleteWhile(how, stop, [Session, `${name}-0`]);
    const run = await world.untilRun(name, "Cancelled");
    expect(conditionOf(run)).toMatchObject({ status: "False" });
    expect(await world.names(Session)).toEqual([]);
  });

  it("a Prompt ends its Run, and none is made again", async () => {
    const { name, stop } = await startedRun();
    await deleteWhile(how, stop, [Prompt, `${name}-0-1`]);
    await world.untilRun(name, "Cancelled");
    expect(await world.names(Prompt)).toEqual([]);
  });
});

describe("Runs that were not started", () => {
  it("end as skipped when their automation is gone, can be read for an hour and then go", async () => {
    const automation = await world.createAutomation("triage");
    const { metadata } = await world.createDelivery(automation);
    await world.client.delete(Automation, { namespace: world.namespace, name: "triage" });
    const operator = await world.startOperator();
    const run = await world.untilRun(metadata.name!, "Skipped");
    expect(conditionOf(run, "Stalled")).toMatchObject({ reason: "AutomationDeleted" });
    const endMs = Date.parse(run.status!.completionTime!);
    // Coming to rest takes some of the time that is left.
    world.clock.advance(endMs + 3_540_000 - world.clock.now().getTime());
    await world.rest(operator);
    expect(await world.names(Run)).toEqual([metadata.name]);
    world.clock.advance(60_000);
    await world.until("it is gone", async () => (await world.names(Run)).length === 0);
    expect(await world.names(Session)).toEqual([]);
    expect(operator.writes.filter((write) => write.startsWith("create"))).toEqual([]);
  });

  it("say so when another automation has taken the name, and that one is not touched", async () => {
    const automation = await world.createAutomation("triage");
    const { metadata } = await world.createDelivery(automation);
    await world.client.delete(Automation, { namespace: world.namespace, name: "triage" });
    await world.createAutomation("triage");
    await world.startOperator();
    const run = await world.untilRun(metadata.name!, "Skipped");
    expect(conditionOf(run, "Stalled")).toMatchObject({ reason: "AutomationReplaced" });
    expect((await world.automation("triage")).status?.lastRun).toBeUndefined();
  });

  it("are not started while their automation waits for its deletion", async () => {
    const automation = await world.createAutomation("triage");
    const key = { namespace: world.namespace, name: "triage" };
    await world.client.patch(Automation, key, { metadata: { finalizers: ["example.com/hold"] } });
    await world.client.delete(Automation, key);
    await world.startOperator();
    const { metadata } = await world.createDelivery(automation);
    const run = await world.untilRun(metadata.name!, "Skipped");
    expect(conditionOf(run, "Stalled")).toMatchObject({ reason: "AutomationDeleted" });
    await world.client.patch(Automation, key, { metadata: { finalizers: null } });
  });
});
