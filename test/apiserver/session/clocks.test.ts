import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { annotations, type Session } from "../../../src/api/v1alpha1/index.ts";
import { type Event, events } from "../../../src/kube/core-resources.ts";
import { isConflict } from "../../../src/kube/errors.ts";
import { microTime } from "../../../src/kube/micro-time.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, limits, type Operator, World } from "./world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  operator = await world.startOperator();
});
afterEach(() => world.close());

const second = 1_000;
const minute = 60 * second;

async function aSession(spec: Partial<Session["spec"]> = {}): Promise<Session> {
  const session = await world.createSession("fix", spec);
  await world.createPrompt(session, 1);
  return session;
}

function leftUntil(instant: string | undefined): number {
  return Date.parse(instant!) - world.clock.now().getTime();
}

/** Lets time reach 1 ms before an instant, sees that nothing happened, and then the instant itself. */
async function passesAt(instant: string | undefined, reason: string): Promise<Session> {
  const leftMs = leftUntil(instant) - 1;
  // The connect watchdog is held while no gateway is there; all other clocks run on.
  if (reason === "ConnectTimeout") await world.passWithGateways(leftMs);
  else world.clock.advance(leftMs);
  await world.rest(operator, 0);
  expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  world.clock.advance(1);
  // Time stands still meanwhile, or the end would be a little later.
  const isOver = async (): Promise<boolean> => (await world.session("fix")).status?.sandbox?.endTime !== undefined;
  await world.until(`the sandbox ends with ${reason}`, isOver, 0);
  const ended = await world.session("fix");
  expect(ended.status?.sandbox).toMatchObject({ endReason: reason, endTime: instant });
  return ended;
}

async function verdict(name = "fix-1"): Promise<object | undefined> {
  return conditionOf(await world.prompt(name), "Succeeded");
}

/** Who settles first has settled. */
function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) throw error;
}

function plus(time: string | undefined, ms: number): string {
  return new Date(Date.parse(time!) + ms).toISOString();
}

async function recorded(attempt: number): Promise<Session> {
  const pod = await world.untilPod(attempt);
  await world.reportRunning(pod.metadata.name!);
  return world.untilSession(
    "fix",
    `attempt ${attempt} recorded`,
    ({ sandbox }) => sandbox?.attempt === attempt && sandbox.containerStartTime !== undefined,
  );
}

it("replaces a sandbox that does not connect once, then fails the prompt and names the phase", async () => {
  await aSession();
  const first = await recorded(1);
  expect(first.status?.nextDeadline).toEqual({
    time: plus(first.status?.sandbox?.containerStartTime, 4 * minute),
    reason: "ConnectTimeout",
  });
  await passesAt(first.status?.nextDeadline?.time, "ConnectTimeout");
  expect(await verdict()).toBeUndefined();

  const replaced = await recorded(2);
  expect(replaced.status?.sandbox).toMatchObject({ replacement: true });
  await passesAt(replaced.status?.nextDeadline?.time, "ConnectTimeout");
  await world.until("the prompt failed", async () => (await verdict()) !== undefined);
  expect(await verdict()).toMatchObject({
    status: "False",
    reason: "ConnectTimeout",
    message: "the runtime did not connect within 4 minutes of its container's start",
  });
  await world.rest(operator);
  expect(await world.pods()).toEqual([]);
  expect(await world.bundles()).toEqual([]);
  const stalled = await world.session("fix");
  expect(conditionOf(stalled, "Stalled")).toMatchObject({ status: "True", reason: "ConnectTimeout" });
});

it("ends no sandbox that does not connect while no gateway is there, and gives it 4 minutes from their return", async () => {
  await aSession();
  await recorded(1);
  await world.beatGateway();
  world.clock.advance(10 * minute);
  await world.rest(operator, 0);
  expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  await passesAt(plus(world.clock.now().toISOString(), 4 * minute), "ConnectTimeout");
});

it("gives a sandbox that does not connect 4 minutes from the begin of a new leader", async () => {
  await aSession();
  const { status } = await recorded(1);
  await operator.stop();
  world.clock.advance(leftUntil(status?.nextDeadline?.time) + minute);
  operator = await world.startOperator();
  await passesAt(plus(world.clock.now().toISOString(), 4 * minute), "ConnectTimeout");
});

it.each([
  // Missing heartbeats would count while gateways are there.
  {
    how: "the watch shows",
    blind: () => Promise.resolve(),
    pass: (ms: number) => {
      world.clock.advance(ms);
      return Promise.resolve();
    },
  },
  {
    how: "a watch that hangs keeps back",
    blind: () => operator.loseLeaseWatch(),
    pass: (ms: number) => world.passWithGateways(ms),
  },
])("wakes no reconcile for a connection that $how, and lets it stop the connect watchdog", async ({ blind, pass }) => {
  const session = await aSession();
  const { status } = await recorded(1);
  await world.rest(operator, 0);
  const { length } = operator.work.reconciles;
  await blind();
  await world.connect(session, 1);
  await world.rest(operator, 0);
  expect(operator.work.reconciles).toHaveLength(length);

  await pass(leftUntil(status!.nextDeadline!.time));
  const booting = await world.untilSession(
    "fix",
    "boots",
    ({ nextDeadline }) => nextDeadline?.reason === "BootTimeout",
  );
  expect(booting.status?.sandbox).not.toHaveProperty("endTime");
  expect(conditionOf(booting, "Ready")).toMatchObject({ status: "False", reason: "Booting" });
});

it("gives scheduling, image pull and boot 30 minutes from the pod's creation", async () => {
  const session = await aSession();
  await world.untilPod(1);
  await world.rest(operator);
  world.clock.advance(10 * second);
  const waiting = await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined);
  const budgetEnds = plus(waiting.status?.sandbox?.createTime, limits.bootTimeoutMs);
  expect(waiting.status?.nextDeadline).toEqual({ time: budgetEnds, reason: "BootTimeout" });
  const pod = await world.untilPod(1);
  await world.reportRunning(pod.metadata.name!);
  await world.untilSession("fix", "started", ({ sandbox }) => sandbox?.containerStartTime !== undefined);
  await world.connect(session, 1);
  await world.untilSession("fix", "booting", ({ nextDeadline }) => nextDeadline?.reason === "BootTimeout", second);
  await passesAt(budgetEnds, "BootTimeout");
});

it("fails the prompt at its execution deadline and ends the sandbox that is stuck with it", async () => {
  const session = await aSession({ settings: { sandboxTimeoutMs: 45 * minute } });
  await world.untilPod(1);
  world.clock.advance(second);
  await world.bringUp(session);
  const running = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  const { currentPrompt, nextDeadline } = running.status!;
  // The pod came before the prompt: its lifetime of the same length would end first, and waits.
  expect(nextDeadline).toEqual({ time: plus(currentPrompt?.startTime, 45 * minute), reason: "ExecutionTimeout" });
  await passesAt(nextDeadline?.time, "ExecutionTimeout");
  await world.until("the prompt failed", async () => (await verdict()) !== undefined);
  expect(await verdict()).toMatchObject({ status: "False", reason: "ExecutionTimeout" });
  expect((await world.prompt("fix-1")).status?.startTime).toBe(currentPrompt?.startTime);
});

it("saves the workspace of a person's session before the lifetime of its sandbox ends", async () => {
  const session = await aSession({ idleTimeoutSeconds: 86_400, settings: { sandboxTimeoutMs: 45 * minute } });
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("fix-1", true, "Completed");
  const { status } = await world.untilSession("fix", "idle", ({ idleSince }) => idleSince !== undefined);
  const created = status?.sandbox?.createTime;
  expect(status?.nextDeadline).toEqual({ time: plus(created, 35 * minute), reason: "SavingWorkspace" });
  world.clock.advance(leftUntil(status?.nextDeadline?.time));
  await world.untilSession("fix", "saving", ({ sandbox }) => sandbox?.snapshotTime !== undefined, 0);
  // No gateway saves it here.
  await passesAt(plus(created, 45 * minute), "SandboxLifetimeEnded");
});

it("ends a prompt by the operator's budget, and goes on with the next one in another sandbox", async () => {
  const longLived = `${world.namespace}-long`;
  await world.createClass(longLived, { sandboxTimeoutMs: 24 * 60 * minute });
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [longLived] }]);
  const session = await aSession({ sandboxClassName: longLived });
  await world.createPrompt(session, 2);
  await world.bringUp(session);
  const { status } = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  expect(status?.nextDeadline).toEqual({
    time: plus(status?.currentPrompt?.startTime, limits.executionTimeoutMs),
    reason: "ExecutionTimeout",
  });
  await passesAt(status?.nextDeadline?.time, "ExecutionTimeout");
  await world.until("the prompt failed", async () => (await verdict()) !== undefined);
  expect(await verdict()).toMatchObject({ status: "False", reason: "ExecutionTimeout" });
  await world.bringUp(session, 2);
  const next = await world.untilSession(
    "fix",
    "dispatched again",
    ({ currentPrompt }) => currentPrompt?.name === "fix-2",
  );
  expect(next.status).toMatchObject({ promptsEnded: 1, queue: [next.status?.currentPrompt?.uid] });
});

it("saves the workspace when a prompt took too long, and the next one goes on with it in another sandbox", async () => {
  const longLived = `${world.namespace}-long`;
  await world.createClass(longLived, { sandboxTimeoutMs: 24 * 60 * minute });
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [longLived] }]);
  const session = await aSession({ sandboxClassName: longLived, idleTimeoutSeconds: 600 });
  await world.createPrompt(session, 2);
  await world.bringUp(session);
  const { status } = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  world.clock.advance(leftUntil(status?.currentPrompt?.deadline));
  await world.until("the prompt failed", async () => (await verdict()) !== undefined, 0);
  expect(await verdict()).toMatchObject({ status: "False", reason: "ExecutionTimeout" });
  await world.rest(operator, 0);
  const saving = await world.session("fix");
  expect(saving.status?.sandbox).toMatchObject({ attempt: 1, snapshotTime: status?.currentPrompt?.deadline });
  expect(saving.status?.sandbox?.endTime).toBeUndefined();
  expect(saving.status?.currentPrompt).toBeUndefined();

  await world.noteOnLease(session, 1, { [annotations.snapshot]: JSON.stringify({ bytes: 7 }) });
  const ended = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(ended.status).toMatchObject({
    sandbox: { endReason: "ExecutionTimeout" },
    snapshot: { attempt: 1, bytes: 7 },
  });
  await world.bringUp(session, 2);
  expect(await world.bundle(session, 2)).toMatchObject({ restores: 1 });
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
});

describe("a prompt that comes when its budget is no longer left", () => {
  const name = (): string => `${world.namespace}-hours`;
  /** Of 180 minutes 10 are for saving, and a prompt may take 120. */
  const lastMs = 50 * minute;

  /** A session whose first prompt has ended, and that gets another one so long after its pod was created. */
  async function askedAgain(afterMs: number): Promise<Session> {
    await world.createClass(name(), { sandboxTimeoutMs: 180 * minute });
    await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [name()] }]);
    const session = await aSession({ sandboxClassName: name(), idleTimeoutSeconds: 86_400 });
    await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    await world.settlePrompt("fix-1", true, "Completed");
    const { status } = await world.untilSession("fix", "idle", ({ idleSince }) => idleSince !== undefined);
    world.clock.advance(leftUntil(plus(status?.sandbox?.createTime, afterMs)));
    await world.rest(operator, 0);
    await world.createPrompt(session, 2);
    await world.rest(operator, 0);
    return session;
  }

  it("begins at the last instant at which it is", async () => {
    await askedAgain(lastMs);
    const { status } = await world.session("fix");
    expect(status?.currentPrompt?.name).toBe("fix-2");
  });

  it("begins in the next sandbox, with the workspace of this one", async () => {
    const session = await askedAgain(lastMs + 1);
    const waiting = await world.session("fix");
    expect(waiting.status?.currentPrompt).toBeUndefined();
    expect(waiting.status?.sandbox?.snapshotTime).toBe(world.clock.now().toISOString());
    await world.noteOnLease(session, 1, { [annotations.snapshot]: JSON.stringify({ bytes: 7, archive: "a1" }) });
    await world.bringUp(session, 2);
    expect(await world.bundle(session, 2)).toMatchObject({ restores: 1 });
    const next = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    expect(next.status).toMatchObject({ currentPrompt: { name: "fix-2" }, snapshot: { attempt: 1, archive: "a1" } });
  });

  it("begins in this one where that cannot be saved", async () => {
    const session = await askedAgain(lastMs + 1);
    await world.noteOnLease(session, 1, { [annotations.snapshot]: JSON.stringify({ problem: "it is too large" }) });
    const { status } = await world.untilSession(
      "fix",
      "dispatched",
      ({ currentPrompt }) => currentPrompt !== undefined,
    );
    expect(status).toMatchObject({ currentPrompt: { name: "fix-2" }, sandbox: { attempt: 1 } });
  });
});

it("ends what is due within a minute when the clock is set, and looks at a settled world without a request", async () => {
  const longLived = `${world.namespace}-long`;
  await world.createClass(longLived, { sandboxTimeoutMs: 24 * 60 * minute });
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [longLived] }]);
  const session = await aSession({ sandboxClassName: longLived });
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.rest(operator, 0);
  const { length } = operator.requests;
  world.clock.advance(limits.executionTimeoutMs / 2);
  await world.rest(operator, 0);
  expect(operator.requests.slice(length)).toEqual([]);

  world.clock.setForward(limits.executionTimeoutMs / 2);
  world.clock.advance(minute);
  const { status } = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined, 0);
  expect(status?.sandbox?.endReason).toBe("ExecutionTimeout");
});

it("keeps an idle sandbox for as long as the session says", async () => {
  const session = await aSession({ idleTimeoutSeconds: 600 });
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("fix-1", true, "Completed", { summary: "planted answer" });
  const idle = await world.untilSession("fix", "idle", ({ idleSince }) => idleSince !== undefined);
  expect(conditionOf(idle, "Ready")).toMatchObject({ status: "True", reason: "Idle" });
  const idleEnds = plus(idle.status?.idleSince, 600 * second);
  expect(idle.status?.nextDeadline).toEqual({ time: idleEnds, reason: "SavingWorkspace" });
  world.clock.advance(Date.parse(idleEnds) - world.clock.now().getTime());
  await world.untilSession("fix", "saving", ({ sandbox }) => sandbox?.snapshotTime !== undefined, 0);

  const note = { bytes: 7, archive: "a1" };
  await world.noteOnLease(session, 1, { [annotations.snapshot]: JSON.stringify(note) });
  const ended = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(ended.status).toMatchObject({ sandbox: { endReason: "Stopped" }, snapshot: { attempt: 1, ...note } });
  expect(conditionOf(ended, "Ready")).toMatchObject({ status: "True", reason: "Stopped" });
  await world.createPrompt(session, 2);
  await world.untilPod(2);
  const earlierTurns = expect.stringMatching(/^User: \S.*\n\nYou: planted answer$/m) as string;
  expect(await world.bundle(session, 2)).toMatchObject({ restores: 1, earlierTurns });
});

describe("an hour without gateways", () => {
  async function withoutGateways(): Promise<void> {
    await world.beatGateway();
    world.clock.advance(60 * minute);
    await world.rest(operator, 0);
  }

  beforeEach(async () => {
    await operator.stop();
    operator = await world.startOperator({}, { hasOutages: true });
    await world.beatGateway();
  });

  it("is no part of a boot's budget", async () => {
    await aSession();
    const { status } = await recorded(1);
    await withoutGateways();
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    await world.beatGateway();
    const moved = await world.untilSession("fix", "moved", ({ sandbox }) => sandbox?.gatewaysAwayMs !== undefined, 0);
    expect(moved.status?.sandbox).toMatchObject({ attempt: 1, gatewaysAwayMs: 60 * minute });
    const boot = { time: plus(status?.sandbox?.createTime, 90 * minute), reason: "BootTimeout" };
    expect(moved.status?.nextDeadline).toEqual(boot);
  });

  it("ends nothing under a new leader before that one has seen a gateway", async () => {
    await aSession();
    const { status } = await recorded(1);
    await operator.stop();
    world.clock.advance(leftUntil(plus(status?.sandbox?.createTime, 30 * minute)));
    operator = await world.startOperator({}, { hasOutages: true });
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    await world.beatGateway();
    const isOver = ({ sandbox }: NonNullable<Session["status"]>): boolean => sandbox?.endTime !== undefined;
    const ended = await world.untilSession("fix", "ended", isOver, 0);
    expect(ended.status?.sandbox?.endReason).toBe("BootTimeout");
    expect(ended.status?.sandbox?.gatewaysBackTime).toBeUndefined();
  });

  it("is no part of a prompt's time, which is moved once", async () => {
    const session = await aSession();
    await world.bringUp(session);
    const dispatched = await world.untilSession(
      "fix",
      "dispatched",
      ({ currentPrompt }) => currentPrompt !== undefined,
    );
    const { deadline } = dispatched.status!.currentPrompt!;
    await withoutGateways();
    const before = operator.writes.length;
    await world.beatGateway();
    const isMoved = ({ currentPrompt }: NonNullable<Session["status"]>): boolean =>
      currentPrompt?.deadline !== deadline;
    const moved = await world.untilSession("fix", "moved", isMoved, 0);
    expect(moved.status?.currentPrompt?.deadline).toBe(plus(deadline, 60 * minute));
    await world.passWithGateways(30 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.currentPrompt).toEqual(moved.status?.currentPrompt);
    expect(operator.writes.slice(before)).toEqual(["patch Session/status"]);
  });
});

describe("heartbeats", () => {
  /** Time stands still meanwhile, or the gateways would seem silent. */
  async function untilStale(): Promise<Session> {
    return world.untilSession("fix", "stale", ({ sandbox }) => sandbox?.endTime !== undefined, 0);
  }

  async function processing(): Promise<Session> {
    const session = await aSession();
    await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    await world.beatGateway();
    await world.beat(session, 1);
    await world.rest(operator, 0);
    return session;
  }

  it("ends a sandbox that was silent for more than 90 s, and its prompt", async () => {
    await processing();
    await world.passWithGateways(90 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    world.clock.advance(1);
    const ended = await untilStale();
    expect(ended.status?.sandbox?.endReason).toBe("HeartbeatLost");
    await world.until("the prompt failed", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({ status: "False", reason: "HeartbeatLost" });
  });

  it("counts from the last one", async () => {
    const session = await processing();
    await world.passWithGateways(85 * second);
    await world.beat(session, 1);
    await world.rest(operator, 0);
    await world.passWithGateways(85 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  });

  it("ends no sandbox while no gateway speaks, and counts anew when one is back", async () => {
    await processing();
    world.clock.advance(600 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    await world.beatGateway();
    await world.rest(operator, 0);
    await world.passWithGateways(85 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    await world.passWithGateways(10 * second);
    const ended = await untilStale();
    expect(ended.status?.sandbox?.endReason).toBe("HeartbeatLost");
  });

  it("takes a runtime whose Lease was deleted for connected, and ends it when it is silent", async () => {
    const session = await aSession();
    const { status } = await recorded(1);
    await world.connect(session, 1);
    world.clock.advance(10 * second);
    await world.untilSession("fix", "shown as booting", ({ sandbox }) => sandbox?.connectTime !== undefined);
    for (let beats = 0; beats < 3; beats += 1) {
      await world.passWithGateways(75 * second);
      await world.beat(session, 1);
    }
    await world.deleteLease(session, 1);
    await world.passWithGateways(leftUntil(plus(status?.sandbox?.containerStartTime, 4 * minute)));
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    await world.passWithGateways(90 * second);
    expect((await untilStale()).status?.sandbox?.endReason).toBe("HeartbeatLost");
  });

  it("finds under a new leader a silent sandbox whose Lease was deleted", async () => {
    const session = await processing();
    await operator.stop();
    await world.deleteLease(session, 1);
    operator = await world.startOperator();
    await world.rest(operator, 0);
    await world.passWithGateways(90 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
    world.clock.advance(1);
    expect((await untilStale()).status?.sandbox?.endReason).toBe("HeartbeatLost");
  });

  it("counts anew under a new leader", async () => {
    await processing();
    await world.passWithGateways(85 * second);
    await operator.stop();
    operator = await world.startOperator();
    await world.passWithGateways(85 * second);
    await world.rest(operator, 0);
    expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  });
});

describe("what kubelet and runtime report", () => {
  it("fails at once where the image cannot be had", async () => {
    await aSession();
    const pod = await world.untilPod(1);
    const waiting = { reason: "ErrImagePull", message: "sandbox:1: not found" };
    await world.reportPod(pod.metadata.name!, {
      containerStatuses: [
        { name: "runtime", image: "sandbox:1", imageID: "", ready: false, restartCount: 0, state: { waiting } },
      ],
    });
    await world.until("the prompt failed", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({
      status: "False",
      reason: "ImagePullFailed",
      message: "image sandbox:1: ErrImagePull: sandbox:1: not found. Check image and imagePullSecrets of the class.",
    });
  });

  it("shows why a pod waits, once", async () => {
    await aSession();
    const pod = await world.untilPod(1);
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }];
    await world.reportPod(pod.metadata.name!, { conditions });
    const shown = await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined);
    expect(conditionOf(shown, "Ready")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: "0/3 nodes. Check the class's requests, node selector and free nodes.",
    });
    expect(conditionOf(shown, "Reconciling")).toMatchObject({ status: "True", reason: "Unschedulable" });
    const { length } = operator.writes;
    await world.reportPod(pod.metadata.name!, { conditions: [{ ...conditions[0], message: "0/4 nodes" }] });
    await world.rest(operator);
    expect(operator.writes).toHaveLength(length);
  });

  it("shows what only the Events of a pod say of why it does not start, and not at once", async () => {
    await aSession();
    const pod = await world.untilPod(1);
    const note = 'MountVolume.SetUp failed for volume "late" : configmap "late" not found';
    await world.client.create<Event>(events, {
      metadata: { name: "late-mount", namespace: world.namespace },
      eventTime: microTime(new Date()),
      action: "Mounting",
      reason: "FailedMount",
      note,
      type: "Warning",
      reportingController: "kubelet",
      reportingInstance: "node",
      regarding: {
        apiVersion: "v1",
        kind: "Pod",
        name: pod.metadata.name,
        namespace: world.namespace,
        uid: pod.metadata.uid,
      },
    } as unknown as Event);
    world.clock.advance(15 * second);
    await world.rest(operator, 0);
    expect(conditionOf(await world.session("fix"), "Ready")).toMatchObject({ reason: "Starting" });
    world.clock.advance(30 * second);
    const shown = await world.untilSession("fix", "held", (status) =>
      (status.conditions ?? []).some(({ reason }) => reason === "ContainerNotStarted"),
    );
    expect(conditionOf(shown, "Ready")).toMatchObject({
      status: "False",
      message: `FailedMount: ${note}. Create what the message names, or change the volumes or env of the SandboxClass.`,
    });
    expect(conditionOf(shown, "Reconciling")).toMatchObject({ status: "True", reason: "ContainerNotStarted" });
    await world.reportRunning(pod.metadata.name!);
    await world.untilSession("fix", "started", ({ sandbox }) => sandbox?.containerStartTime !== undefined);
    expect(conditionOf(await world.session("fix"), "Ready")?.reason).not.toBe("ContainerNotStarted");
  });

  it.each([
    ["clone", "CloneFailed"],
    ["setup", "HookFailed"],
    ["start", "HookFailed"],
    ["agent", "AgentNotStarted"],
  ])("fails the prompt when boot failed in phase %s", async (phase, reason) => {
    const session = await aSession();
    await recorded(1);
    await world.connect(session, 1);
    const failure = { phase, reason: "ExitStatus", message: "exit status 1" };
    await world.noteOnLease(session, 1, { [annotations.bootFailure]: JSON.stringify(failure) });
    await world.until("the prompt failed", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({
      status: "False",
      reason,
      message: expect.stringContaining(`boot failed in phase ${phase}: exit status 1. `) as string,
    });
  });

  it("replaces a sandbox whose pod was evicted, for the prompts that waited", async () => {
    const session = await aSession();
    await world.createPrompt(session, 2);
    const pod = await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    await world.reportPod(pod.metadata.name!, { phase: "Failed", reason: "Evicted", message: "disk pressure" });
    await world.until("the prompt failed", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({
      reason: "SandboxLost",
      message: "the pod ended by itself: Evicted: disk pressure. Check the pod's and the node's events.",
    });
    await world.bringUp(session, 2);
    const next = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-2");
    expect(next.status?.sandbox).toMatchObject({ attempt: 2 });
    expect(next.status?.sandbox?.replacement).toBeUndefined();
  });

  it("takes a verdict that the gateway was faster with", async () => {
    const session = await aSession();
    const pod = await world.bringUp(session);
    await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
    await Promise.all([
      world.settlePrompt("fix-1", true, "Completed").catch(ignoreConflict),
      world.reportPod(pod.metadata.name!, { phase: "Failed", reason: "Evicted" }),
    ]);
    await world.untilSession(
      "fix",
      "folded",
      ({ promptsEnded, sandbox }) => promptsEnded === 1 && sandbox?.endTime !== undefined,
    );
    expect(["Completed", "SandboxLost"]).toContain(((await verdict()) as { reason: string }).reason);
  });
});

it("gives up a pod that does not go after 5 minutes, and not before", async () => {
  const session = await aSession();
  await world.createPrompt(session, 2);
  const pod = await world.untilPod(1);
  await world.schedule(pod.metadata.name!);
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  // One whose phase is Failed would be gone at once.
  await world.deletePod(pod.metadata.name!);
  const ended = await world.untilSession("fix", "folded", ({ promptsEnded }) => promptsEnded === 1);
  const leftMs = Date.parse(plus(ended.status?.sandbox?.endTime, 5 * minute)) - world.clock.now().getTime();
  world.clock.advance(leftMs - 1);
  await world.rest(operator, 0);
  expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual([pod.metadata.name]);
  world.clock.advance(1);
  const next = await world.untilPod(2);
  await world.rest(operator, 0);
  const [old, young] = [pod, next].map(({ metadata }) => metadata.name);
  expect(operator.events).toContainEqual(
    expect.objectContaining({
      type: "Warning",
      reason: "SandboxLost",
      note: `pod ${old} is still terminating 5 minutes after its sandbox ended: pod ${young} is started beside it`,
    }),
  );
});

it("holds starts back for 5 minutes after three failed ones", async () => {
  const session = await aSession();
  await world.createPrompt(session, 2);
  for (const attempt of [1, 2, 3]) {
    await recorded(attempt);
    const pod = await world.untilPod(attempt);
    await world.reportPod(pod.metadata.name!, { phase: "Failed", reason: "Evicted", message: "disk pressure" });
    await world.untilSession(
      "fix",
      `end of ${attempt}`,
      ({ sandbox }) => sandbox?.attempt === attempt && sandbox.endTime !== undefined,
    );
  }
  const held = await world.untilSession("fix", "held", ({ conditions }) =>
    (conditions ?? []).some(({ reason }) => reason === "StartFailuresRepeated"),
  );
  const [first] = held.status!.startFailures!;
  expect(conditionOf(held, "Ready")?.message).toBe(
    `the last 3 sandboxes failed to start; the next one is tried at ${plus(first, 5 * minute)}; ` +
      "the last one ended with SandboxLost: the pod ended by itself: Evicted: disk pressure. Check the pod's and the node's events.",
  );
  const leftMs = Date.parse(plus(first, 5 * minute)) - world.clock.now().getTime();
  world.clock.advance(leftMs - 1);
  await world.rest(operator, 0);
  expect(await world.pods()).toEqual([]);
  world.clock.advance(1);
  await world.untilPod(4);
});
