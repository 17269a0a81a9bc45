import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, type Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { type Fault, type FaultProxy, type SeenRequest, startFaultProxy } from "../../support/fault-proxy.ts";
import { conditionOf, World } from "./world.ts";

let proxy: FaultProxy;
let world: World;
let automation: Automation;
beforeEach(async () => {
  proxy = await startFaultProxy(testCluster());
  world = await World.make(testCluster().kubeconfig, proxy.kubeconfig());
  automation = await world.createAutomation("triage", { session: { settings: { sandboxTimeoutMs: 60_000 } } });
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

const faults: [string, Fault][] = [
  ["is answered 500", { kind: "answer", status: 500 }],
  ["meets a newer version", { kind: "answer", status: 409, reason: "Conflict" }],
  ["never arrives", { kind: "refuse" }],
  ["is carried out and its answer lost", { kind: "lose" }],
];

/** Has the next write of this kind meet the fault; returns whether it has. */
function breakNext(fault: Fault, method: string, path: RegExp): () => boolean {
  let met: SeenRequest | undefined;
  proxy.decide((request) => {
    if (met || request.method !== method || !path.test(request.path)) return undefined;
    met = request;
    return fault;
  });
  return () => met !== undefined;
}

/** A Run that has its first prompt. */
async function runningRun(): Promise<Run> {
  const { metadata } = await world.createDelivery(automation);
  await world.untilPrompt(metadata.name!);
  return world.untilRun(metadata.name!, "Running");
}

describe.each(faults)("a write that %s is made good by the next look", (_how, fault) => {
  it("the automation's label on a Run by a person", async () => {
    const hasMet = breakNext(fault, "PATCH", /\/runs\/by-hand\?/);
    await world.startOperator();
    await world.createRun(automation, { type: "Manual" }, { name: "by-hand", labels: {} });
    const run = await world.untilRun("by-hand", "Running");
    expect(run.metadata.labels).toEqual({ "runwright.dev/automation-uid": automation.metadata.uid });
    expect(await world.names(Session)).toEqual(["by-hand-0"]);
    expect(hasMet()).toBe(true);
  });

  it("the verdict of a swept Run's prompt", async () => {
    const operator = await world.startOperator();
    const { metadata, status } = await runningRun();
    const name = metadata.name!;
    const hasMet = breakNext(fault, "PATCH", /\/prompts\/[^/]+\/status/);
    world.clock.advance(Date.parse(status!.nextDeadline!.time) - world.clock.now().getTime());
    await world.untilRun(name, "ExecutionTimeout");
    await world.rest(operator);
    expect(conditionOf(await world.findPrompt(`${name}-0-1`))).toMatchObject({ reason: "ExecutionTimeout" });
    expect((await world.automation("triage")).status?.consecutiveFailures).toBe(1);
    expect(hasMet()).toBe(true);
  });

  it("the deletion of a session of a Run that is skipped after all", async () => {
    const { metadata } = await world.createDelivery(automation);
    const dying = await world.startOperator({ diesBefore: "patch Run" });
    await world.until("it is dead", () => dying.work.reconciles.includes("run stopped"));
    await dying.stop();
    expect(await world.names(Session)).toEqual([`${metadata.name!}-0`]);
    await world.client.patch(Automation, { namespace: world.namespace, name: "triage" }, { spec: { suspend: true } });
    const hasMet = breakNext(fault, "DELETE", /\/sessions\//);
    await world.startOperator();
    await world.untilRun(metadata.name!, "Skipped");
    expect(await world.names(Session)).toEqual([]);
    expect(hasMet()).toBe(true);
  });

  it("the deletion of a Run whose automation is gone", async () => {
    await world.startOperator();
    const { metadata } = await runningRun();
    const hasMet = breakNext(fault, "DELETE", /\/runs\//);
    await world.client.delete(Automation, { namespace: world.namespace, name: "triage" });
    await world.until("it is gone", async () => (await world.findRun(metadata.name!)) === undefined);
    expect(hasMet()).toBe(true);
  });
});
