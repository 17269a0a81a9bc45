import { beforeEach, describe, expect, it } from "vitest";
import { Automation, type Run, Session } from "../../../src/api/v1alpha1/index.ts";
import type { Fault, SeenRequest } from "../../support/fault-proxy.ts";
import { proxiedWorld } from "./proxied-world.ts";
import { conditionOf } from "./world.ts";

const open = proxiedWorld();
let automation: Automation;
beforeEach(async () => {
  automation = await open.world.createAutomation("triage", { session: { settings: { sandboxTimeoutMs: 60_000 } } });
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
  open.proxy.decide((request) => {
    if (met || request.method !== method || !path.test(request.path)) return undefined;
    met = request;
    return fault;
  });
  return () => met !== undefined;
}

/** A Run that has its first prompt. */
async function runningRun(): Promise<Run> {
  const { metadata } = await open.world.createDelivery(automation);
  await open.world.untilPrompt(metadata.name!);
  return open.world.untilRun(metadata.name!, "Running");
}

describe.each(faults)("a write that %s is made good by the next look", (_how, fault) => {
  it("the automation's label on a Run by a person", async () => {
    const hasMet = breakNext(fault, "PATCH", /\/runs\/by-hand\?/);
    await open.world.startOperator();
    await open.world.createRun(automation, { type: "Manual" }, { name: "by-hand", labels: {} });
    const run = await open.world.untilRun("by-hand", "Running");
    expect(run.metadata.labels).toEqual({ "runwright.dev/automation-uid": automation.metadata.uid });
    expect(await open.world.names(Session)).toEqual(["by-hand-0"]);
    expect(hasMet()).toBe(true);
  });

  it("the verdict of a swept Run's prompt", async () => {
    const operator = await open.world.startOperator();
    const { metadata, status } = await runningRun();
    const name = metadata.name!;
    const hasMet = breakNext(fault, "PATCH", /\/prompts\/[^/]+\/status/);
    open.world.clock.advance(Date.parse(status!.nextDeadline!.time) - open.world.clock.now().getTime());
    await open.world.untilRun(name, "ExecutionTimeout");
    await open.world.rest(operator);
    expect(conditionOf(await open.world.findPrompt(`${name}-0-1`))).toMatchObject({ reason: "ExecutionTimeout" });
    expect((await open.world.automation("triage")).status?.consecutiveFailures).toBe(1);
    expect(hasMet()).toBe(true);
  });

  it("the deletion of a session of a Run that is skipped after all", async () => {
    const { metadata } = await open.world.createDelivery(automation);
    const dying = await open.world.startOperator({ diesBefore: "patch Run" });
    await open.world.until("it is dead", () => dying.work.reconciles.includes("run stopped"));
    await dying.stop();
    expect(await open.world.names(Session)).toEqual([`${metadata.name!}-0`]);
    await open.world.client.patch(
      Automation,
      { namespace: open.world.namespace, name: "triage" },
      { spec: { suspend: true } },
    );
    const hasMet = breakNext(fault, "DELETE", /\/sessions\//);
    await open.world.startOperator();
    await open.world.untilRun(metadata.name!, "Skipped");
    expect(await open.world.names(Session)).toEqual([]);
    expect(hasMet()).toBe(true);
  });

  it("the deletion of a Run whose automation is gone", async () => {
    await open.world.startOperator();
    const { metadata } = await runningRun();
    const hasMet = breakNext(fault, "DELETE", /\/runs\//);
    await open.world.client.delete(Automation, { namespace: open.world.namespace, name: "triage" });
    await open.world.until("it is gone", async () => (await open.world.findRun(metadata.name!)) === undefined);
    expect(hasMet()).toBe(true);
  });
});
