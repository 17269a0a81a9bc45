import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  Automation,
  Environment,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { aSandboxClass } from "../../support/builders.ts";
import { testCluster } from "../../support/cluster.ts";
import type { Trouble } from "../../support/trouble.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

const result = { summary: "Fixed it", branch: "runwright/fix", commit: "a".repeat(40) };

describe("a delivery", () => {
  it("becomes a session with its first prompt, and its result the Run's", async () => {
    const automation = await world.createAutomation("triage", { instructions: "Fix it.\n" });
    const operator = await world.startOperator();
    const { metadata } = await world.createDelivery(automation, '{"status":"failed","idempotencyKey":"k"}');
    const name = metadata.name!;
    await world.untilPrompt(name);

    const session = await world.findSession(`${name}-0`);
    expect(session).toMatchObject({
      metadata: {
        labels: { "runwright.dev/run-uid": metadata.uid },
        ownerReferences: [{ kind: "Run", name, uid: metadata.uid }],
      },
      spec: { title: "[Auto] triage", target: {}, serviceAccountName: "runner", idleTimeoutSeconds: 0 },
    });
    expect(session?.metadata.ownerReferences?.[0]).not.toHaveProperty("blockOwnerDeletion");
    const prompt = await world.findPrompt(`${name}-0-1`);
    expect(prompt?.metadata.ownerReferences).toMatchObject([{ kind: "Session", uid: session?.metadata.uid }]);
    expect(prompt?.spec.text).toContain("Fix it.\n\n\n---\n\nThis run was started by an inbound webhook.");
    expect(prompt?.spec.text).toContain('{\n  "status": "failed"\n}');
    const started = await world.untilRun(name, "Running");
    expect(conditionOf(started)).toMatchObject({ status: "Unknown" });
    expect(conditionOf(started, "Reconciling")).toMatchObject({ status: "True" });
    expect(started.status).toMatchObject({ executionBudgetMs: 7_200_000, sessions: [{ name: `${name}-0` }] });
    const startMs = Date.parse(started.status!.startTime!);
    expect(started.status!.nextDeadline).toEqual({
      time: new Date(startMs + 13_200_000).toISOString(),
      reason: "ExecutionTimeout",
    });

    await world.settlePrompt(`${name}-0-1`, true, "Completed", result);
    const ended = await world.untilRun(name, "Completed");
    expect(conditionOf(ended)).toMatchObject({ status: "True", observedGeneration: 1 });
    expect(conditionOf(ended, "Reconciling")).toBeUndefined();
    expect(conditionOf(ended, "Stalled")).toBeUndefined();
    expect(ended.status).toMatchObject({ result, observedGeneration: 1, sessions: [{ reason: "Completed" }] });
    expect(ended.status).not.toHaveProperty("nextDeadline");
    await world.until("the automation shows it", async () => {
      const { status } = await world.automation("triage");
      return status?.activeRuns === 0 && status.lastRun?.name === name && status.lastRun.reason === "Completed";
    });
    expect(operator.events.map(({ regarding, reason }) => [regarding.kind, reason])).toEqual([
      ["Automation", "Ready"],
      ["Run", "Running"],
      ["Run", "Completed"],
    ]);
  });

  it("leaves to others what they have noted on the objects, which the caches do not hold", async () => {
    const { name: automationName } = (await world.createAutomation("triage")).metadata;
    const key = (name: string): { namespace: string; name: string } => ({ namespace: world.namespace, name });
    const notes = { annotations: { "example.com/note": "x".repeat(200_000) }, labels: { "example.com/team": "a" } };
    const automation = await world.client.patch(Automation, key(automationName!), { metadata: notes });
    await world.startOperator();
    const run = await world.createRun(automation, { type: "Manual", time: new Date().toISOString() }, notes);
    const name = run.metadata.name!;
    await world.untilPrompt(name);
    const session = key(`${name}-0`);
    await world.client.patch(Session, session, { metadata: notes });
    await world.settlePrompt(`${name}-0-1`, true, "Completed", result);
    await world.untilRun(name, "Completed");
    await world.until("the automation shows it", async () => {
      return (await world.automation("triage")).status?.lastRun?.reason === "Completed";
    });
    const all = [await world.automation("triage"), await world.findRun(name), await world.findSession(`${name}-0`)];
    for (const stored of all) {
      expect(stored?.metadata).toMatchObject(notes);
    }
  });

  it("costs two writes of its Run and few of its automation, and a settled world none", async () => {
    const automation = await world.createAutomation("triage");
    const operator = await world.startOperator();
    await world.until("the automation is judged", async () => {
      return conditionOf(await world.automation("triage"), "Ready")?.status === "True";
    });
    operator.writes.length = 0;
    await world.rest(operator);
    operator.work.reconciles.length = 0;
    const { metadata } = await world.createDelivery(automation);
    const name = metadata.name!;
    await world.untilPrompt(name);
    await world.settlePrompt(`${name}-0-1`, true, "Completed", result);
    await world.untilRun(name, "Completed");
    await world.rest(operator);

    expect(operator.writes.filter((write) => write === "patch Run/status")).toHaveLength(2);
    expect(operator.writes.filter((write) => write === "patch Automation/status").length).toBeLessThanOrEqual(2);
    expect(operator.writes.filter((write) => write.startsWith("create"))).toEqual(["create Session", "create Prompt"]);
    expect(operator.writes.length).toBeLessThanOrEqual(6);
    expect(operator.work.reconciles.filter((line) => line.startsWith("run")).length).toBeLessThanOrEqual(2);
    expect(
      operator.work.reconciles.filter((line) => line.startsWith("automation") && !line.endsWith("requeueAfter")).length,
    ).toBeLessThanOrEqual(2);

    await operator.stop();
    const second = await world.startOperator();
    await world.rest(second);
    expect(second.writes).toEqual([]);
  });

  it("that was accepted 6,000 s ago is skipped, one that is 1 s younger is not", async () => {
    const automation = await world.createAutomation("triage");
    const ago = (ms: number): string => new Date(world.clock.now().getTime() - ms).toISOString();
    const late = await world.createRun(automation, { type: "Webhook", time: ago(6_000_000), payload: "1" });
    const early = await world.createRun(automation, { type: "Webhook", time: ago(5_900_000), payload: "1" });
    const operator = await world.startOperator();
    const skipped = await world.untilRun(late.metadata.name!, "Skipped");
    expect(conditionOf(skipped, "Stalled")).toMatchObject({ status: "True", reason: "StartDeadlineExceeded" });
    expect(operator.events.map(({ reason }) => reason)).toContain("StartDeadlineExceeded");
    await world.untilRun(early.metadata.name!, "Running");
    await world.rest(operator);
    expect(await world.names(Session)).toEqual([`${early.metadata.name!}-0`]);
    expect((await world.automation("triage")).status?.consecutiveFailures).toBe(0);
  });

  it.each([
    ["of its Environment", { sandboxTimeoutMs: 120_000 }, 120_000],
    ["of the Environment's primary Repository where that sets none", undefined, 60_000],
  ])("has the budget %s", async (_, settings, want) => {
    const { client, namespace } = world;
    for (const [name, sandboxTimeoutMs] of [["web", 60_000] as const, ["api", 1_000] as const]) {
      const spec = { url: `https://git.example.com/${name}.git`, branch: "main", settings: { sandboxTimeoutMs } };
      await client.create(Repository, { metadata: { name, namespace }, spec });
    }
    const repositoryRefs = [{ name: "web" }, { name: "api" }];
    await client.create(Environment, { metadata: { name: "shop", namespace }, spec: { repositoryRefs, settings } });
    const targets = [{ environmentRef: { name: "shop" } }];
    const automation = await world.createAutomation("triage", { targets });
    await world.startOperator();
    const { metadata } = await world.createDelivery(automation);
    const started = await world.untilRun(metadata.name!, "Running");
    expect(started.status?.executionBudgetMs).toBe(want);
  });

  it("without a result in time is failed, its prompt too, and a later result is a note", async () => {
    const automation = await world.createAutomation("triage", { session: { settings: { sandboxTimeoutMs: 60_000 } } });
    const operator = await world.startOperator();
    const { metadata } = await world.createDelivery(automation);
    const name = metadata.name!;
    await world.untilPrompt(name);
    const started = await world.untilRun(name, "Running");
    expect(started.status?.executionBudgetMs).toBe(60_000);
    await world.rest(operator);
    const deadlineMs = Date.parse(started.status!.nextDeadline!.time);
    expect(deadlineMs - Date.parse(started.status!.startTime!)).toBe(6_060_000);
    world.clock.advance(deadlineMs - world.clock.now().getTime());
    const swept = await world.untilRun(name, "ExecutionTimeout");
    expect(conditionOf(swept)).toMatchObject({ status: "False" });
    expect(conditionOf(await world.findPrompt(`${name}-0-1`))).toMatchObject({ reason: "ExecutionTimeout" });
    expect((await world.automation("triage")).status).toMatchObject({ consecutiveFailures: 1 });

    const prompt = (await world.findPrompt(`${name}-0-1`))!;
    await world.client.patchStatus(Prompt, prompt, { ...prompt.status, lateResult: result });
    await world.until("the late result is kept", async () => (await world.run(name)).status?.lateResult !== undefined);
    const noted = await world.run(name);
    expect(noted.status).toMatchObject({ lateResult: result });
    expect(conditionOf(noted)).toMatchObject({ status: "False", reason: "ExecutionTimeout" });
    expect(operator.events.map(({ reason }) => reason)).toContain("LateResult");
    expect((await world.automation("triage")).status).toMatchObject({ consecutiveFailures: 1 });
  });

  it("ends when its session or prompt is deleted, and nothing is made again", async () => {
    const automation = await world.createAutomation("triage");
    const operator = await world.startOperator();
    const { metadata } = await world.createDelivery(automation);
    const name = metadata.name!;
    await world.untilPrompt(name);
    await world.untilRun(name, "Running");
    await operator.stop();
    await world.client.delete(Session, { namespace: world.namespace, name: `${name}-0` });
    const next = await world.startOperator();
    const ended = await world.untilRun(name, "Cancelled");
    expect(conditionOf(ended)).toMatchObject({ message: `Session ${name}-0 was deleted` });
    await world.rest(next);
    expect(await world.names(Session)).toEqual([]);
  });
});

describe("a Run that cannot have its session", () => {
  /** A delivery whose Session is refused when the operator first tries, and then no more. */
  async function refused(
    session: Automation["spec"]["session"] = {},
    trouble: Trouble = { failsFirst: "create Session" },
  ): Promise<{ name: string; operator: Operator }> {
    const automation = await world.createAutomation("triage", { session });
    const first = await world.startOperator();
    await world.rest(first);
    await first.stop();
    const { metadata } = await world.createDelivery(automation);
    return { name: metadata.name!, operator: await world.startOperator({ ...trouble, status: 403 }) };
  }

  it("because a quota is full says so and goes on when there is room", async () => {
    const { name, operator } = await refused();
    const waiting = await world.untilRun(name, "Pending", 0);
    expect(conditionOf(waiting, "Reconciling")).toMatchObject({ reason: "ProgressingWithRetry", message: "planted" });
    const started = await world.untilRun(name, "Running");
    expect(conditionOf(started, "Reconciling")).toMatchObject({ reason: "Running" });
    expect(operator.writes).toContain("create Session");
    expect(operator.events.map(({ reason }) => reason)).toEqual(["ProgressingWithRetry", "Running"]);
  });

  it("is not ended by the start deadline, and says that it is tried again until it starts", async () => {
    const { name } = await refused();
    const waiting = await world.untilRun(name, "Pending", 0);
    expect(conditionOf(waiting)).toMatchObject({ message: "planted; it is tried again until it starts" });
    world.clock.advance(6_000_000);
    await world.untilRun(name, "Running");
  });

  it("is skipped once it was Pending for the maxPendingSeconds of its class, and says so from the start", async () => {
    const className = `${world.namespace}-patient`;
    await world.client.create(SandboxClass, aSandboxClass(className, { maxPendingSeconds: 600 }));
    const { name, operator } = await refused({ sandboxClassName: className }, { refuses: "create Session" });
    const waiting = await world.untilRun(name, "Pending", 0);
    const since = Date.parse(conditionOf(waiting)!.lastTransitionTime);
    const time = new Date(since + 600_000).toISOString();
    const limit = `maxPendingSeconds 600 of SandboxClass ${className}`;
    expect(conditionOf(waiting)?.message).toBe(`planted; it is tried again until ${time} (${limit})`);
    expect(waiting.status?.nextDeadline).toEqual({ time, reason: "StartDeadlineExceeded" });
    world.clock.advance(600_000);
    const skipped = await world.untilRun(name, "Skipped");
    expect(conditionOf(skipped, "Stalled")).toMatchObject({
      reason: "StartDeadlineExceeded",
      message: `StartDeadlineExceeded: it was Pending for ${limit}: planted`,
    });
    expect(skipped.status?.nextDeadline).toBeUndefined();
    await world.rest(operator);
    expect(await world.names(Session)).toEqual([]);
  });

  it("because its name is taken has failed, is one strike and leaves the other object alone", async () => {
    const automation = await world.createAutomation("triage");
    const session = {
      metadata: { name: "mine-0", namespace: world.namespace },
      spec: { serviceAccountName: "runner" },
    };
    // The API server fills in the rest.
    await world.client.create(Session, session as Session);
    const operator = await world.startOperator();
    const { metadata } = await world.createRun(automation, { type: "Webhook", payload: "1" }, { name: "mine" });
    const run = await world.untilRun(metadata.name!, "NameTaken");
    expect(conditionOf(run, "Stalled")).toMatchObject({
      message: "Session mine-0 exists and belongs to something else",
    });
    await world.rest(operator);
    expect((await world.automation("triage")).status?.consecutiveFailures).toBe(1);
    expect(await world.names(Session)).toEqual(["mine-0"]);
    expect(await world.names(Prompt)).toEqual([]);
  });
});

describe("failures", () => {
  async function fail(automation: Parameters<World["createDelivery"]>[0]): Promise<void> {
    const { metadata } = await world.createDelivery(automation);
    const prompt = `${metadata.name!}-0-1`;
    await world.until("the first prompt is there", async () => (await world.findPrompt(prompt)) !== undefined);
    await world.settlePrompt(prompt, false, "Failed");
    await world.untilRun(metadata.name!, "Failed");
  }

  it("pause the automation at the third in a row; a request to resume starts anew", async () => {
    const automation = await world.createAutomation("triage");
    const operator = await world.startOperator();
    for (const wanted of [1, 2, 3]) {
      await fail(automation);
      expect((await world.automation("triage")).status?.consecutiveFailures).toBe(wanted);
    }
    expect(conditionOf(await world.automation("triage"), "Paused")).toMatchObject({
      status: "True",
      reason: "TooManyFailures",
    });
    expect(operator.events.filter(({ reason }) => reason === "TooManyFailures")).toHaveLength(1);

    const fourth = await world.createDelivery(automation);
    expect(conditionOf(await world.untilRun(fourth.metadata.name!, "Skipped"), "Stalled")?.reason).toBe(
      "AutomationPaused",
    );

    await world.client.patch(
      Automation,
      { namespace: world.namespace, name: "triage" },
      {
        metadata: { annotations: { "runwright.dev/resume-requested-at": "now" } },
      },
    );
    const fifth = await world.createDelivery(automation);
    await world.untilRun(fifth.metadata.name!, "Running");
    await world.until("it is resumed", async () => {
      return conditionOf(await world.automation("triage"), "Paused")?.status === "False";
    });
    expect((await world.automation("triage")).status?.consecutiveFailures).toBe(0);
    expect(operator.events.filter(({ reason }) => reason === "Resumed")).toHaveLength(1);
  });
});

describe("a manual start", () => {
  const manual = { type: "Manual" as const };

  it("is skipped while another Run of the automation is active, whatever fired that", async () => {
    const automation = await world.createAutomation("triage");
    await world.startOperator();
    const delivery = await world.createDelivery(automation);
    await world.untilRun(delivery.metadata.name!, "Running");
    const second = await world.createRun(automation, manual);
    const skipped = await world.untilRun(second.metadata.name!, "Skipped");
    expect(conditionOf(skipped, "Stalled")?.reason).toBe("ConcurrentRunActive");
    await world.untilPrompt(delivery.metadata.name!);
    await world.settlePrompt(`${delivery.metadata.name!}-0-1`, true, "Completed");
    await world.untilRun(delivery.metadata.name!, "Completed");
    const third = await world.createRun(automation, manual);
    await world.untilRun(third.metadata.name!, "Running");
    expect((await world.automation("triage")).status?.active?.name).toBe(third.metadata.name);
    await world.untilPrompt(third.metadata.name!);
    await world.settlePrompt(`${third.metadata.name!}-0-1`, true, "Completed");
    await world.untilRun(third.metadata.name!, "Completed");
    expect((await world.automation("triage")).status?.active).toBeUndefined();
  });

  it("of twenty at once starts exactly one", async () => {
    const automation = await world.createAutomation("triage", { trigger: { type: "Manual" } });
    await world.startOperator();
    const runs = await Promise.all(Array.from({ length: 20 }, () => world.createRun(automation, manual)));
    await world.until("all are judged", async () => {
      const { items } = await world.client.list(Run, { namespace: world.namespace });
      return items.every((run) => conditionOf(run) !== undefined);
    });
    const { items } = await world.client.list(Run, { namespace: world.namespace });
    expect(items).toHaveLength(runs.length);
    expect(items.filter((run) => conditionOf(run)?.reason === "Running")).toHaveLength(1);
    expect(await world.names(Session)).toHaveLength(1);
  });

  it("starts a paused automation only when the person says so, and does not resume it", async () => {
    const automation = await world.createAutomation("triage", { trigger: { type: "Manual" }, suspend: true });
    await world.startOperator();
    const plain = await world.createRun(automation, manual);
    expect(conditionOf(await world.untilRun(plain.metadata.name!, "Skipped"), "Stalled")?.reason).toBe(
      "AutomationPaused",
    );
    const wanted = await world.createRun(automation, manual, {
      name: "wanted",
      annotations: { "runwright.dev/while-paused": "true" },
    });
    await world.untilRun(wanted.metadata.name!, "Running");
    expect(conditionOf(await world.automation("triage"), "Paused")).toMatchObject({
      status: "True",
      reason: "Suspended",
    });
  });

  it("by a person gets the label that its automation's history is found by", async () => {
    const automation = await world.createAutomation("triage", { trigger: { type: "Manual" } });
    await world.startOperator();
    await world.client.create(Run, {
      metadata: { name: "mine", namespace: world.namespace },
      spec: { automationRef: { name: "triage" }, trigger: manual },
    });
    const run = await world.untilRun("mine", "Running");
    expect(run.metadata.labels).toEqual({ "runwright.dev/automation-uid": automation.metadata.uid });
    expect((await world.untilPrompt("mine")).spec.text).toBe("Fix it.");
  });

  it("of an automation that is not there is skipped", async () => {
    await world.startOperator();
    await world.client.create(Run, {
      metadata: { name: "lost", namespace: world.namespace },
      spec: { automationRef: { name: "nobody" }, trigger: manual },
    });
    expect(conditionOf(await world.untilRun("lost", "Skipped"), "Stalled")?.reason).toBe("AutomationNotFound");
  });
});
