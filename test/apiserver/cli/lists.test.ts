import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { parse } from "yaml";

import { Automation, Run } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testCluster } from "../../support/cluster.ts";
import { conditionOf } from "../run/world.ts";
import { CliWorld } from "./world.ts";

let cli: CliWorld;
beforeEach(async () => {
  cli = await CliWorld.make();
});
afterEach(() => cli.close());

describe("automations", () => {
  it("lists those of the namespace with trigger and state", async () => {
    await cli.world.createAutomation("triage", { suspend: true });
    await cli.world.createAutomation("nightly", {
      trigger: { type: "Schedule", schedule: { cron: "0 3 * * *", timeZone: "UTC" } },
    });
    await cli.world.createAutomation("broken");
    await cli.pauseByFailures("broken", new Date());
    const { status, out } = await cli.call("automations");
    expect(status).toBe(0);
    expect(out).toMatch(/^NAME +TRIGGER +STATE +FAILURES +ACTIVE/);
    expect(out).toMatch(/^triage +Webhook +Paused \(Suspended\) +0 /m);
    expect(out).toMatch(/^nightly +Schedule +Enabled /m);
    expect(out).toMatch(/^broken +Webhook +Paused \(TooManyFailures\) +3 /m);
  });

  it("finds by name and display name in either case, and takes no character for a wildcard", async () => {
    await cli.world.createAutomation("one", { displayName: "Fix 50% of it" });
    await cli.world.createAutomation("fifty");
    const named = async (search: string): Promise<string> => {
      const argv = ["automations", "-o", "name", "--search", search].join(" ");
      return (await cli.call(argv)).out;
    };
    expect(await named("fIx")).toBe("automation.runwright.dev/one\n");
    expect(await named("FIF")).toBe("automation.runwright.dev/fifty\n");
    expect(await named("50%")).toBe("automation.runwright.dev/one\n");
    expect(await named("_")).toBe("");
  });

  it("shows as many as it is asked for, newest first, and says how many are left", async () => {
    for (const name of ["a1", "a2", "a3"]) await cli.world.createAutomation(name);
    const { out, err } = await cli.call("automations -o name --limit 2");
    expect(out).toBe("automation.runwright.dev/a3\nautomation.runwright.dev/a2\n");
    expect(err).toBe("1 more; --limit 3 shows them");
    expect((await cli.call("automations --limit 3")).err).toBe("");
  });

  it.each(["0", "-1", "2.5", "x"])("refuses --limit=%s", async (limit) => {
    expect(await cli.call(`automations --limit=${limit}`)).toMatchObject({
      status: 2,
      err: expect.stringContaining(`--limit is "${limit}"`) as unknown,
    });
  });

  it("lists all namespaces, and gives objects that can be applied again", async () => {
    await cli.world.createAutomation("everywhere-to-be-found");
    const all = "automations -A --search everywhere-to-be-found";
    expect((await cli.callWith(testCluster().kubeconfig, all)).out).toMatch(
      new RegExp(`^NAMESPACE +NAME.*\\n${cli.namespace} +everywhere`),
    );
    const { out } = await cli.call("automations -o yaml");
    expect(parse(out)).toMatchObject({
      kind: "List",
      items: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Automation", metadata: { namespace: cli.namespace } }],
    });
    expect(out).not.toContain("managedFields");
  });

  it("says that there are none", async () => {
    expect(await cli.call("automations")).toMatchObject({
      status: 0,
      out: "",
      err: expect.stringContaining("No Automations found in") as unknown,
    });
  });

  it("names the right that is missing", async () => {
    const { status, err } = await cli.callWith(await cli.kubeconfigOf("nobody"), "automations");
    expect(status).toBe(1);
    expect(err).toMatch(/"nobody" cannot list resource "automations".*\nAsk for the role view/);
  });
});

describe("runs", () => {
  it("lists an Automation's Runs, newest first, with verdict and reason, and no payload", async () => {
    const automation = await cli.world.createAutomation("triage", { suspend: true });
    await cli.world.createAutomation("other");
    await cli.world.startOperator();
    const skipped = await cli.world.createDelivery(automation, '{"token":"sent-by-somebody"}');
    await cli.world.untilRun(skipped.metadata.name!, "Skipped");
    const { out } = await cli.call("runs triage");
    expect(out).toMatch(/^NAME +TRIGGER +VERDICT +REASON +WHEN +DURATION/);
    expect(out).toMatch(new RegExp(`^${skipped.metadata.name!} +Webhook +Skipped +AutomationPaused +\\w+ ago`, "m"));
    const json = await cli.call("runs triage -o json");
    expect(JSON.parse(json.out)).toMatchObject({ items: [{ kind: "Run", spec: { trigger: { type: "Webhook" } } }] });
    expect(json.out).not.toContain("sent-by-somebody");
    expect(await cli.call("runs other")).toMatchObject({
      status: 0,
      out: "",
      err: expect.stringContaining("has no Runs") as unknown,
    });
  });

  it("shows one that no controller has looked at, and none of an Automation that had the name before", async () => {
    const before = await cli.world.createAutomation("triage");
    await cli.world.createDelivery(before);
    await cli.world.client.delete(Automation, { namespace: cli.namespace, name: "triage" });
    await cli.world.createAutomation("triage");
    const spec: Run["spec"] = { automationRef: { name: "triage" }, trigger: { type: "Manual" } };
    await cli.world.client.create<Run>(Run, { metadata: { name: "by-hand", namespace: cli.namespace }, spec });
    expect((await cli.call("runs triage -o name")).out).toBe("run.runwright.dev/by-hand\n");
    expect((await cli.call("runs triage")).out).toMatch(/^by-hand +Manual +Pending /m);
  });

  it("shows how long a completed one took", async () => {
    const automation = await cli.world.createAutomation("triage");
    await cli.world.startOperator();
    const { metadata } = await cli.world.createDelivery(automation);
    await cli.world.untilPrompt(metadata.name!);
    await cli.world.settlePrompt(`${metadata.name!}-0-1`, true, "Completed", { branch: "fix/it" });
    const run = await cli.world.untilRun(metadata.name!, "Completed");
    expect(conditionOf(run)).toMatchObject({ status: "True" });
    expect((await cli.call("runs triage")).out).toMatch(/ Completed +\w+ ago +\w+ +fix\/it/);
  });

  it("names an Automation that is not there, and how to find those that are", async () => {
    expect(await cli.call("runs nothing")).toMatchObject({
      status: 1,
      err: `error: there is no Automation ${cli.namespace}/nothing\nTo list them: kubectl runwright automations -n ${cli.namespace}`,
    });
  });
});

it("works in the namespace of the kubeconfig's context, and refuses two namespaces", async () => {
  const kubeconfig = await cli.kubeconfigOf("admin-of-it");
  expect((await cli.callWith(kubeconfig, "runs nothing")).err).toContain(`${cli.namespace}/nothing`);
  const other = await makeNamespace("cli");
  expect(await cli.call(`runs ${other}/x`)).toMatchObject({
    status: 2,
    err: expect.stringContaining("but --namespace is") as unknown,
  });
});
