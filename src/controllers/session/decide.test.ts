import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Prompt, Sandbox, Session, SessionSpec, SessionStatus } from "../../api/v1alpha1/index.ts";
import { aPrompt, aSession } from "../../../test/support/builders.ts";
import type { SessionEffect } from "./effects.ts";
import type { SessionLimits } from "./decide/status.ts";
import type { ObservedPod } from "../sandbox/facts.ts";
import type { SessionFacts, UnrecordedStart } from "./facts.ts";
import { afterEffects, decided, firstStep, type FirstStep, type GivenFacts, observed } from "./fake-steps.ts";

const epochMs = Date.parse("2026-05-04T10:00:00.000Z");
const minute = 60_000;
const limits: SessionLimits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 120 * minute };

function time(ms: number): string {
  return new Date(epochMs + ms).toISOString();
}

function promptOf(index: number, reason?: string, cancel?: boolean): Prompt {
  const conditions = [
    { type: "Succeeded", status: "False" as const, reason: reason ?? "", message: "", lastTransitionTime: time(0) },
  ];
  return aPrompt({
    metadata: { name: `fix-${index}`, namespace: "team", uid: `p${index}`, resourceVersion: String(100 + index) },
    spec: { cancel },
    status: reason === undefined ? undefined : { conditions },
  });
}

function sessionOf(status?: SessionStatus, spec: Partial<SessionSpec> = {}): Session {
  return aSession({ metadata: { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" }, spec, status });
}

function aSandbox(more: Partial<Sandbox> = {}): Sandbox {
  return { attempt: 1, podName: "fix-x-1", podUID: "u1", createTime: time(0), forPromptUID: "p1", ...more };
}

function aPod(more: Partial<ObservedPod> = {}): ObservedPod {
  return {
    name: "fix-x-1",
    uid: "u1",
    resourceVersion: "7",
    attempt: 1,
    isStarted: false,
    isTerminating: false,
    ...more,
  };
}

function facts(more: Partial<SessionFacts> = {}): GivenFacts {
  return { session: sessionOf(), prompts: [], pods: [], secrets: [], isSilent: false, children: [], ...more };
}

const start: UnrecordedStart = {
  attempt: 1,
  podName: "fix-x-1",
  podUID: "u1",
  createTime: time(0),
  forPromptUID: "p1",
  replacement: false,
  tunnels: [],
  workspaceLimitBytes: 1,
  maxUnsavedSeconds: 86_400,
  settings: { copied: { executionTimeoutMs: 45 * minute, lifetimeMs: 60 * minute }, bounded: [] },
};

function step(of: Partial<SessionFacts>, atMs = 0): FirstStep {
  return firstStep(facts(of), new Date(epochMs + atMs), limits);
}

function said(step: FirstStep): SessionStatus {
  if (step.kind !== "writeStatus") throw new Error(`the step is ${step.kind}`);
  return step.status;
}

const ready = aSandbox({ containerStartTime: time(0), readyTime: time(0) });
const lease = { isReady: true };
const queued = { queue: ["p1"] };
const inFirstPlace = { forPromptUID: "p1", replacement: false };

describe("starting", () => {
  it.each<[string, Partial<SessionFacts>, object]>([
    ["nothing without a prompt", { session: sessionOf({ observedGeneration: 1 }) }, { kind: "writeStatus" }],
    ["admission first", { prompts: [promptOf(1)] }, { kind: "writeStatus", status: queued }],
    [
      "then a sandbox",
      { session: sessionOf(queued), prompts: [promptOf(1)] },
      { kind: "start", attempt: 1, ...inFirstPlace },
    ],
    [
      "none for a session that is being deleted",
      {
        session: { ...sessionOf(queued), metadata: { ...sessionOf().metadata, deletionTimestamp: time(0) } },
        prompts: [promptOf(1)],
      },
      { kind: "wait" },
    ],
    [
      "none while a predecessor's pod is there",
      {
        session: sessionOf({
          ...queued,
          sandbox: aSandbox({ readyTime: time(0), endTime: time(0), endReason: "SandboxLost" }),
        }),
        prompts: [promptOf(1)],
        pods: [aPod()],
      },
      { kind: "deletePod" },
    ],
    [
      "a replacement after a missed connect",
      {
        session: sessionOf({ ...queued, sandbox: aSandbox({ endTime: time(0), endReason: "ConnectTimeout" }) }),
        prompts: [promptOf(1)],
      },
      { kind: "start", attempt: 2, forPromptUID: "p1", replacement: true },
    ],
    [
      "no replacement for another prompt's sandbox",
      {
        session: sessionOf({ queue: ["p2"], sandbox: aSandbox({ endTime: time(0), endReason: "ConnectTimeout" }) }),
        prompts: [promptOf(1, "ConnectTimeout"), promptOf(2)],
      },
      { kind: "start", attempt: 2, forPromptUID: "p2", replacement: false },
    ],
    [
      "none after a second missed connect",
      {
        session: sessionOf({
          ...queued,
          sandbox: aSandbox({ attempt: 2, replacement: true, endTime: time(0), endReason: "ConnectTimeout" }),
        }),
        prompts: [promptOf(1)],
      },
      { kind: "settlePrompt", reason: "ConnectTimeout" },
    ],
    [
      "none where another could only fail the same way",
      {
        session: sessionOf({ ...queued, sandbox: aSandbox({ endTime: time(0), endReason: "CloneFailed" }) }),
        prompts: [promptOf(1)],
      },
      { kind: "settlePrompt", reason: "CloneFailed" },
    ],
    [
      "a new try for the next prompt, as a person may have fixed what failed",
      {
        session: sessionOf({ queue: ["p2"], sandbox: aSandbox({ endTime: time(0), endReason: "CloneFailed" }) }),
        prompts: [promptOf(1, "CloneFailed"), promptOf(2)],
      },
      { kind: "start", attempt: 2, forPromptUID: "p2", replacement: false },
    ],
  ])("%s", (_name, of, want) => {
    expect(step(of)).toMatchObject(want);
  });
});

describe("a pod that a predecessor made and could not record", () => {
  const pods = [aPod({ isStarted: true })];
  const bundle = { name: "s1-1", uid: "b1", labels: { "runwright.dev/attempt": "1" } };
  const settledPrompt = {
    session: sessionOf({ observedGeneration: 1, promptsEnded: 1 }),
    prompts: [promptOf(1, "Cancelled")],
  };

  it.each<[string, Partial<SessionFacts>, object]>([
    [
      "is adopted while a prompt wants a sandbox",
      { session: sessionOf(queued), prompts: [promptOf(1)], pods },
      { kind: "start", attempt: 1 },
    ],
    ["goes when no prompt does any more", { ...settledPrompt, pods }, { kind: "deletePod", pod: { uid: "u1" } }],
    ["goes once", { ...settledPrompt, pods: [aPod({ isTerminating: true })] }, { kind: "writeStatus" }],
    ["goes with its bundle", { ...settledPrompt, secrets: [bundle] }, { kind: "deleteSecret", secret: bundle }],
    [
      "goes also beside a former attempt",
      {
        session: sessionOf({ promptsEnded: 1, sandbox: { ...ready, endTime: time(0), endReason: "Stopped" } }),
        pods: [aPod({ uid: "u2", attempt: 2 })],
      },
      { kind: "deletePod", pod: { uid: "u2" } },
    ],
    [
      "stays when this process made it, for a session that keeps its sandbox",
      { ...settledPrompt, session: sessionOf({ promptsEnded: 1 }, { idleTimeoutSeconds: 600 }), start, pods: [aPod()] },
      { kind: "wait", atMs: epochMs + 10_000 },
    ],
  ])("%s", (_name, of, want) => {
    expect(step(of)).toMatchObject(want);
  });
});

it.each([
  ["before its limit", 5 * minute - 1, { kind: "wait", atMs: epochMs + 5 * minute }],
  ["at its limit", 5 * minute, { kind: "start", attempt: 2, givenUp: ["fix-x-1"] }],
  ["after its limit", 5 * minute + 1, { kind: "start", attempt: 2, givenUp: ["fix-x-1"] }],
])("a predecessor that does not go away, %s", (_name, atMs, want) => {
  const sandbox = aSandbox({ readyTime: time(0), endTime: time(0), endReason: "SandboxLost" });
  const status: SessionStatus = { queue: ["p2"], promptsEnded: 1, sandbox };
  const of = { session: sessionOf(status), prompts: [promptOf(2)], pods: [aPod({ isTerminating: true })] };
  const shown = { ...of, session: sessionOf(said(step(of))) };
  expect(step(shown, atMs)).toMatchObject(want);
});

describe("recording a pod", () => {
  const waiting = { session: sessionOf(queued), prompts: [promptOf(1)], start };

  it.each<[string, ObservedPod, number, object]>([
    ["waits for the container", aPod(), 9_999, { kind: "wait", atMs: epochMs + 10_000 }],
    ["waits 10 s", aPod(), 10_000, { kind: "writeStatus", status: { sandbox: { podUID: "u1" } } }],
    [
      "with the container's start",
      aPod({ isStarted: true }),
      3_000,
      { kind: "writeStatus", status: { sandbox: { containerStartTime: time(3_000) } } },
    ],
    [
      "with the first reason to wait that is worth showing",
      aPod({ waiting: { reason: "Unschedulable", message: "no node", isHopeless: false } }),
      3_000,
      { kind: "writeStatus", status: { executionTimeoutMs: 45 * minute, lifetimeMs: 60 * minute } },
    ],
  ])("%s", (_name, pod, atMs, want) => {
    expect(step({ ...waiting, pods: [pod] }, atMs)).toMatchObject(want);
  });

  it.each([
    [["b"], "the sandbox is also selected by NetworkPolicy b"],
    [["a", "b", "c", "d", "e"], "the sandbox is also selected by NetworkPolicy a, b, c, d, e"],
    [["a", "b", "c", "d", "e", "f"], "the sandbox is also selected by NetworkPolicy a, b, c, d, e and 1 more"],
  ])("with a warning of others' policies %j, which the next sandbox takes back", (foreignPolicies, message) => {
    const pods = [aPod({ isStarted: true })];
    const written = step({ ...waiting, start: { ...start, foreignPolicies }, pods });
    const warning = { type: "ForeignNetworkPolicy", status: "True", reason: "ForeignNetworkPolicy", message };
    expect(written).toHaveProperty("status.conditions", expect.arrayContaining([expect.objectContaining(warning)]));
    const { status } = written as Extract<FirstStep, { kind: "writeStatus" }>;
    const stored = { ...status, sandbox: { ...status.sandbox!, endTime: time(0), endReason: "SandboxLost" } };
    const again = { ...start, attempt: 2, podUID: "u2", foreignPolicies: [] };
    const next = step({
      ...waiting,
      session: sessionOf(stored),
      start: again,
      pods: [aPod({ uid: "u2", attempt: 2, isStarted: true })],
    });
    expect(next).not.toHaveProperty("status.conditions", expect.arrayContaining([expect.objectContaining(warning)]));
  });

  it("at once with a prompt that has to be admitted", () => {
    const second = { ...waiting, prompts: [promptOf(1), promptOf(2)], pods: [aPod()] };
    expect(step(second, 1)).toMatchObject({
      kind: "writeStatus",
      status: { queue: ["p1", "p2"], sandbox: { attempt: 1 } },
    });
  });
});

describe("working", () => {
  const idle: SessionStatus = { ...queued, sandbox: ready, executionTimeoutMs: 45 * minute };
  const running: SessionStatus = {
    ...idle,
    currentPrompt: { name: "fix-1", uid: "p1", startTime: time(0), deadline: time(45 * minute) },
  };
  const pods = [aPod({ isStarted: true })];

  it("dispatches the first prompt with its deadline", () => {
    expect(step({ session: sessionOf(idle), prompts: [promptOf(1)], pods, lease }, 500)).toMatchObject({
      kind: "writeStatus",
      status: { currentPrompt: { uid: "p1", startTime: time(500), deadline: time(45 * minute + 500) } },
    });
  });

  it("ends the sandbox in the write that takes the last prompt in, and keeps the attempt's fence in it", () => {
    const of = { session: sessionOf(running), prompts: [promptOf(1, "Failed")], pods, lease };
    expect(step(of, 5_000)).toMatchObject({
      kind: "writeStatus",
      status: { promptsEnded: 1, queue: undefined, sandbox: { endTime: time(5_000), endReason: "Stopped" } },
    });
    expect(step(of, 5_000)).not.toHaveProperty("status.currentPrompt");
  });

  describe("counts costs", () => {
    const priced = (index: number, costUsd: string): Prompt => {
      const prompt = promptOf(index, "Failed");
      return { ...prompt, status: { ...prompt.status, usage: { costUsd } } };
    };
    const within = { settings: { maxSessionCostUsd: "5.00" }, idleTimeoutSeconds: 600 };
    const both = { ...running, queue: ["p1", "p2"], costUsd: "4.50" };

    it.each([
      ["below the limit", "0.40", { costUsd: "4.9", currentPrompt: { uid: "p2" } }],
      ["at the limit", "0.50", { costUsd: "5", idleSince: time(5_000) }],
      ["above the limit", "3.40", { costUsd: "7.9", idleSince: time(5_000) }],
    ])(
      "in the write that takes the prompt in, and starts no further one at or over the limit: %s",
      (_, costUsd, want) => {
        const prompts = [priced(1, costUsd), promptOf(2)];
        const status = said(step({ session: sessionOf(both, within), prompts, pods, lease }, 5_000));
        expect(status).toMatchObject({ promptsEnded: 1, ...want });
        expect("currentPrompt" in status).toBe("currentPrompt" in want);
      },
    );

    const held = {
      ...idle,
      queue: ["p2"],
      costUsd: "5",
      sandbox: { ...ready, endTime: time(0), endReason: "Stopped" },
    };
    const observedAgain = [priced(1, "0.50"), promptOf(2)];

    it("once, however often the prompt is observed again", () => {
      const next = step({ session: sessionOf(held, within), prompts: observedAgain }, 5_000);
      expect(next).toMatchObject({ kind: "writeStatus", status: { costUsd: "5", queue: ["p2"] } });
    });

    it("says both figures while prompts wait, and starts no sandbox for them", () => {
      const session = sessionOf(held, within);
      const status = said(step({ session, prompts: observedAgain }, 5_000));
      const message = expect.stringContaining("has cost 5 USD and its maxSessionCostUsd is 5.00") as string;
      const notReady = { type: "Ready", status: "False", reason: "CostLimitReached", message };
      expect(status.conditions).toContainEqual(expect.objectContaining(notReady));
      expect(step({ session: { ...session, status }, prompts: observedAgain }, 5_000)).toEqual({ kind: "wait" });
    });

    it.each(["5.01", ""])("goes on when the session's limit becomes %j", (maxSessionCostUsd) => {
      const session = sessionOf(held, { ...within, settings: { maxSessionCostUsd } });
      expect(step({ session, prompts: observedAgain }, 5_000)).toMatchObject({ kind: "start", forPromptUID: "p2" });
    });

    it("says no more of it when nothing waits", () => {
      const { conditions } = said(step({ session: sessionOf(held, within), prompts: observedAgain }, 5_000));
      const session = sessionOf({ ...held, queue: ["p2"], conditions }, within);
      expect(said(step({ session, prompts: [promptOf(1, "Failed"), promptOf(2, "Cancelled")] }, 6_000))).toMatchObject({
        conditions: [{ type: "Ready", status: "True", reason: "Stopped" }],
      });
    });
  });

  it("stores the end of an attempt before its prompt is failed", () => {
    const lost = { session: sessionOf(running), prompts: [promptOf(1)], pods, lease, isSilent: true };
    expect(step(lost, 1_000)).toMatchObject({
      kind: "writeStatus",
      status: { sandbox: { endReason: "HeartbeatLost" }, currentPrompt: { uid: "p1" } },
      end: { reason: "HeartbeatLost" },
    });
    const sandbox = { ...ready, endTime: time(1_000), endReason: "HeartbeatLost" };
    expect(step({ ...lost, session: sessionOf({ ...running, sandbox }), pods: [] }, 1_000)).toMatchObject({
      kind: "settlePrompt",
      prompt: { metadata: { uid: "p1" } },
      reason: "HeartbeatLost",
    });
  });

  it.each([
    { name: "one that waits", cancelled: 2, message: "cancelled before it began" },
    { name: "the processed one", cancelled: 1, message: "cancelled while it was processed" },
  ])("settles $name when it is to be cancelled", ({ cancelled, message }) => {
    const prompts = [1, 2].map((index) => promptOf(index, undefined, index === cancelled));
    const session = sessionOf({ ...running, queue: ["p1", "p2"] });
    expect(step({ session, prompts, pods, lease })).toMatchObject({
      kind: "settlePrompt",
      prompt: { metadata: { uid: `p${cancelled}` } },
      reason: "Cancelled",
      message,
    });
  });

  it("lets a cancelled prompt make room before one more is refused", () => {
    const prompts = Array.from({ length: 51 }, (_, index) => promptOf(index + 1, undefined, index === 50));
    expect(step({ session: sessionOf(idle), prompts, pods, lease })).toMatchObject({
      prompt: { metadata: { uid: "p51" } },
      reason: "Cancelled",
    });
  });

  it("leaves the verdict of a prompt that ended before its cancellation was seen", () => {
    const of = { session: sessionOf(running), prompts: [promptOf(1, "Completed", true)], pods, lease };
    expect(step(of)).toMatchObject({ kind: "writeStatus", status: { promptsEnded: 1 } });
  });

  it("takes a pod whose UID is another for lost", () => {
    const of = { session: sessionOf(running), prompts: [promptOf(1)], pods: [aPod({ uid: "u2" })], lease };
    expect(step(of)).toMatchObject({ status: { sandbox: { endReason: "SandboxLost" } } });
  });

  it.each([
    [undefined, "pod fix-x-1 is being deleted"],
    [
      "EvictionByEvictionAPI: Eviction API: evicting",
      "pod fix-x-1 is being deleted: EvictionByEvictionAPI: Eviction API: evicting",
    ],
  ])("says why its pod is taken away where the pod does: %s", (disruption, message) => {
    const gone = [aPod({ isTerminating: true, disruption })];
    const of = { session: sessionOf(running), prompts: [promptOf(1)], pods: gone, lease };
    expect(step(of)).toMatchObject({ end: { reason: "SandboxLost", message } });
  });

  it("lets what was reported count before a clock that passed meanwhile", () => {
    const boot = { ...queued, sandbox: aSandbox({ containerStartTime: time(0) }) };
    const bootFailure = { phase: "clone" as const, reason: "ExitStatus", message: "no such branch" };
    const of = { session: sessionOf(boot), prompts: [promptOf(1)], pods, lease: { isReady: false, bootFailure } };
    expect(step(of, 60 * minute)).toMatchObject({ end: { reason: "CloneFailed" } });
  });
});

describe("showing a boot", () => {
  const sandbox = aSandbox({ containerStartTime: time(0) });
  const pods = [aPod({ isStarted: true })];
  const connecting = { session: sessionOf({ ...queued, sandbox }), prompts: [promptOf(1)], pods };
  /** As it was written with the container's start. */
  const recorded = step(connecting) as Extract<FirstStep, { kind: "writeStatus" }>;
  const booting = { ...connecting, session: { ...connecting.session, status: recorded.status } };
  const connected = { ...booting, lease: { isReady: false } };

  it.each<[string, Partial<SessionFacts>, number, object]>([
    ["is due 10 s after the container's start, connected or not", booting, 0, { kind: "wait", atMs: epochMs + 10_000 }],
    ["waits for that although the runtime has connected", connected, 9_999, { kind: "wait", atMs: epochMs + 10_000 }],
    ["comes then", connected, 10_000, { kind: "writeStatus", status: { nextDeadline: { reason: "BootTimeout" } } }],
    ["waits for the watchdog without a connection", booting, 10_000, { kind: "wait", atMs: epochMs + 4 * minute }],
    [
      "is late, but no timeout, for one whose connection brought no event",
      connected,
      4 * minute,
      { kind: "writeStatus" },
    ],
  ])("%s", (_name, of, atMs, want) => {
    expect(step(of, atMs)).toMatchObject(want);
    expect(step(of, atMs)).not.toHaveProperty("end.reason");
  });
});

describe("a phase of boot", () => {
  const phase = { name: "SetUp", repository: "shop", since: time(5 * minute) } as const;
  const sandbox = aSandbox({ containerStartTime: time(0), connectTime: time(0) });
  const pods = [aPod({ isStarted: true })];
  const of = { session: sessionOf({ ...queued, sandbox }), prompts: [promptOf(1)], pods, lease: { isReady: false } };
  const shown = { ...of, session: sessionOf(said(step(of, 4 * minute))) };
  const inPhase = { ...shown, lease: { isReady: false, phase } };

  it("is worth no write before it has lasted for 30 s, then one", () => {
    const dueMs = 5 * minute + 30_000;
    expect(step(inPhase, dueMs - 1)).toEqual({ kind: "wait", atMs: epochMs + dueMs });
    const { sandbox: stored } = said(step(inPhase, dueMs));
    expect(stored?.phase).toEqual(phase);
    const written = { ...inPhase, session: sessionOf(said(step(inPhase, dueMs))) };
    expect(step(written, dueMs + minute)).toEqual({ kind: "wait", atMs: epochMs + 30 * minute });
  });

  it("goes along with what is written for another reason, and is over with boot", () => {
    const ready = said(step({ ...inPhase, lease: { isReady: true, phase } }, 5 * minute));
    expect(ready.sandbox?.readyTime).toBe(time(5 * minute));
    expect(ready.sandbox?.phase).toBeUndefined();
    const moved = { ...inPhase, gatewayOutage: { fromMs: epochMs + minute, untilMs: epochMs + 2 * minute } };
    expect(said(step(moved, 5 * minute)).sandbox?.phase).toEqual(phase);
  });

  it.each([
    [{ name: "Restoring" }, "restoring the saved workspace"],
    [{ name: "Cloning" }, "cloning"],
    [{ name: "SetUp", repository: "shop" }, "running .runwright/setup.sh of Repository shop"],
    [{ name: "Start", repository: "shop" }, "running .runwright/start.sh of Repository shop"],
    [{ name: "StartingAgent" }, "starting the agent"],
  ] as const)("is named by a boot timeout: %j", (given, words) => {
    const lease = { isReady: false, phase: { ...given, since: time(minute) } };
    const ended = step({ ...shown, lease }, 30 * minute);
    expect(ended).toMatchObject({ end: { reason: "BootTimeout" } });
    expect(ended).toHaveProperty(
      "end.message",
      expect.stringContaining(`since ${time(minute)} the runtime was ${words}`),
    );
  });

  it("is not begun again in another sandbox when boot took too long: the prompt fails", () => {
    const status = said(step(inPhase, 30 * minute));
    expect(status.sandbox).toMatchObject({ endReason: "BootTimeout" });
    const next = step({ session: sessionOf(status), prompts: [promptOf(1)] }, 30 * minute);
    expect(next).toMatchObject({ kind: "settlePrompt", reason: "BootTimeout" });
  });
});

describe("a connect watchdog that is held because gateways were away", () => {
  const sandbox = aSandbox({ containerStartTime: time(0) });
  const pods = [aPod({ isStarted: true })];
  const connecting = { session: sessionOf({ ...queued, sandbox }), prompts: [promptOf(1)], pods };

  /** At 5 minutes, when the watchdog of its container's start has passed. */
  function heldUntil(ms: number | undefined, lease?: SessionFacts["lease"]): Partial<SessionFacts> {
    const connectHeldUntilMs = ms === undefined ? undefined : epochMs + ms;
    return { ...connecting, lease, connectHeldUntilMs };
  }

  it("shows the boot budget meanwhile, then waits for the instant at which it goes on", () => {
    const status = said(step(heldUntil(7 * minute), 5 * minute));
    expect(status.nextDeadline).toEqual({ reason: "BootTimeout", time: time(30 * minute) });
    const shown = { ...heldUntil(7 * minute), session: sessionOf(status) };
    expect(step(shown, 6 * minute)).toEqual({ kind: "wait", atMs: epochMs + 7 * minute });
  });

  it("ends a sandbox that has not connected once it is held no more, and not before", () => {
    expect(said(step(heldUntil(7 * minute), 7 * minute - 1)).sandbox?.endReason).toBeUndefined();
    expect(said(step(heldUntil(undefined), 7 * minute)).sandbox?.endReason).toBe("ConnectTimeout");
  });

  it("looks no more at a session whose sandbox is over", () => {
    const ended = { ...ready, endTime: time(minute), endReason: "Stopped" };
    const of = { session: sessionOf({ promptsEnded: 1, sandbox: ended }), connectHeldUntilMs: epochMs + 7 * minute };
    const settled = { ...of, session: sessionOf(said(step(of, 5 * minute))) };
    expect(step(settled, 5 * minute)).toEqual({ kind: "wait", atMs: undefined });
  });

  it("holds nothing up for one that has connected", () => {
    const status = said(step(heldUntil(7 * minute, { isReady: false }), 5 * minute));
    const shown = { ...heldUntil(7 * minute, { isReady: false }), session: sessionOf(status) };
    expect(step(shown, 5 * minute)).toEqual({ kind: "wait", atMs: epochMs + 30 * minute });
  });
});

const aChild = { uid: "c1", isWorking: true, unfinished: [], isQueued: false, isRefused: false };

it.each([
  { queued: [], want: "Prompt fix-1 is processed" },
  { queued: [false], want: "Prompt fix-1 is processed" },
  { queued: [true, false], want: "Prompt fix-1 is processed; 1 of its child sessions waits for a place" },
  { queued: [true, true], want: "Prompt fix-1 is processed; 2 of its child sessions wait for a place" },
])("a parent says which children it may be waiting for: $queued", ({ queued: each, want }) => {
  const currentPrompt = { name: "fix-1", uid: "p1", startTime: time(0), deadline: time(60 * minute) };
  const session = sessionOf({ ...queued, sandbox: ready, currentPrompt });
  const children = each.map((isQueued, at) => ({ ...aChild, uid: `c${at}`, isQueued }));
  const { conditions } = said(step({ session, prompts: [promptOf(1)], pods: [aPod()], lease, children }));
  expect(conditions).toContainEqual(expect.objectContaining({ type: "Ready", reason: "Running", message: want }));
});

it("looks at its children again when one of them no longer counts without a prompt", () => {
  const child = { ...aChild, awaitsPromptUntilMs: epochMs + 2 * minute };
  const { children, ...status } = said(step({ children: [child] }));
  expect(children).toEqual({ admitted: ["c1"], active: 1, working: ["c1"] });
  const stored = { session: sessionOf({ ...status, children }), children: [child] };
  expect(step(stored)).toEqual({ kind: "wait", atMs: epochMs + 2 * minute });
  const late = { ...child, isWorking: false, awaitsPromptUntilMs: undefined };
  expect(said(step({ ...stored, children: [late] }, 2 * minute)).children).toEqual({
    admitted: ["c1"],
    active: 0,
    working: [],
  });
});

it.each([
  [49, 1, "writeStatus"],
  [50, 1, "settlePrompt"],
  [50, 0, "start"],
])("with %d admitted and %d new prompts it decides on %s", (admitted, added, kind) => {
  const prompts = Array.from({ length: admitted + added }, (_, index) => promptOf(index + 1));
  const queue = prompts.slice(0, admitted).map(({ metadata }) => metadata.uid!);
  expect(step({ session: sessionOf({ queue }), prompts })).toMatchObject({ kind });
});

const offsets = fc.integer({ min: 0, max: 3 * 60 * minute });
const someSandbox: fc.Arbitrary<Sandbox> = fc
  .record(
    {
      containerStartTime: offsets.map(time),
      readyTime: offsets.map(time),
      endTime: offsets.map(time),
      replacement: fc.boolean(),
      endReason: fc.constantFrom("ConnectTimeout", "CloneFailed", "Stopped", "SandboxLost"),
      attempt: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ["attempt"] },
  )
  .map((some) => aSandbox({ ...some, podUID: `u${some.attempt}` }));
const someFacts: fc.Arbitrary<GivenFacts> = fc
  .record({
    status: fc.record(
      {
        sandbox: someSandbox,
        queue: fc.subarray(["p1", "p2", "p3"]),
        currentPrompt: fc.constantFrom(1, 2).map((index) => ({
          name: `fix-${index}`,
          uid: `p${index}`,
          startTime: time(0),
          deadline: time(90 * minute),
        })),
        startFailures: fc.array(offsets.map(time), { maxLength: 3 }),
        lifetimeMs: fc.integer({ min: 1_000, max: 120 * minute }),
        costUsd: fc.constantFrom("4.99", "5"),
      },
      { requiredKeys: [] },
    ),
    prompts: fc.array(fc.constantFrom({ reason: "Completed" }, { reason: "Failed" }, { cancel: true }, {}), {
      maxLength: 3,
    }),
    pods: fc.array(
      fc.record({ attempt: fc.integer({ min: 1, max: 4 }), isStarted: fc.boolean(), isTerminating: fc.boolean() }),
      { maxLength: 3 },
    ),
    lease: fc.option(fc.record({ isReady: fc.boolean() }), { nil: undefined }),
    isSilent: fc.boolean(),
    idleTimeoutSeconds: fc.constantFrom(0, 600),
    settings: fc.constantFrom({}, { maxSessionCostUsd: "5" }),
  })
  .map(({ status, prompts, pods, idleTimeoutSeconds, settings, ...rest }) =>
    facts({
      ...(status.sandbox && status.sandbox.endTime === undefined ? rest : {}),
      session: sessionOf(status, { idleTimeoutSeconds, settings }),
      prompts: prompts.map(({ reason, cancel }, index) => promptOf(index + 1, reason, cancel)),
      pods: pods.map((pod) => aPod({ ...pod, uid: `u${pod.attempt}`, name: `fix-x-${pod.attempt}` })),
    }),
  );

/** Observes and decides until nothing is left but to wait; `seen` gets each effect and the facts before it. */
function toRest(
  given: GivenFacts,
  now: Date,
  seen: (effect: SessionEffect, before: SessionFacts) => void,
): SessionFacts {
  let of = observed(given, now);
  for (let passes = 0; ; passes += 1) {
    expect(passes).toBeLessThan(12);
    const { effects, wakeAtMs } = decided(of, now, limits);
    if (effects.length === 0) {
      if (wakeAtMs !== undefined) expect(wakeAtMs).toBeGreaterThan(now.getTime());
      return of;
    }
    for (const effect of effects) {
      seen(effect, of);
      of = afterEffects(of, [effect], now);
    }
    of = observed(of, now);
  }
}

describe("whatever the facts", () => {
  it("comes to rest, and then asks only for instants that lie ahead", () => {
    fc.assert(
      fc.property(someFacts, offsets, (given, atMs) => {
        toRest(given, new Date(epochMs + atMs), () => undefined);
      }),
      { numRuns: 500 },
    );
  });

  it("deletes nothing of an attempt that goes on", () => {
    fc.assert(
      fc.property(someFacts, offsets, (given, atMs) => {
        toRest(given, new Date(epochMs + atMs), (effect, { session }) => {
          const { attempt = 0, endTime } = session.status?.sandbox ?? {};
          if (effect.kind === "deletePod" && effect.pod.attempt === attempt) expect(endTime).toBeDefined();
        });
      }),
      { numRuns: 500 },
    );
  });

  it("never starts beside a sandbox that lives, or a pod of one that does not, unless that does not go for 5 minutes", () => {
    fc.assert(
      fc.property(someFacts, offsets, (given, atMs) => {
        const now = new Date(epochMs + atMs);
        toRest(given, now, (effect, before) => {
          if (effect.kind === "createPod") expectAlone(before, effect.due.attempt, now);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("ends the same when any one effect fails and the session is looked at again", () => {
    fc.assert(
      fc.property(someFacts, offsets, fc.integer({ min: 0, max: 12 }), (given, atMs, failing) => {
        const now = new Date(epochMs + atMs);
        const whole = toRest(given, now, () => undefined);
        const { effects } = decided(given, now, limits);
        const broken = afterEffects(observed(given, now), effects.slice(0, failing % (effects.length + 1)), now);
        expect(endOf(toRest(broken, now, () => undefined))).toEqual(endOf(whole));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** What others act on once a session has come to rest. */
function endOf({ session, prompts, pods, secrets }: SessionFacts): object {
  const verdicts = prompts.map(({ status }) => status?.conditions?.map(({ reason, message }) => ({ reason, message })));
  // While a start is under way the conditions may still tell of the end before it.
  const status = { ...session.status, conditions: undefined, observedGeneration: undefined, nextDeadline: undefined };
  return { status, verdicts, pods: pods.map(({ name }) => name), secrets: secrets.map(({ name }) => name) };
}

function expectAlone({ session, pods }: SessionFacts, started: number, now: Date): void {
  const { sandbox } = session.status ?? {};
  const { attempt = 0, endTime = "" } = sandbox ?? {};
  expect(sandbox === undefined || sandbox.endTime !== undefined).toBe(true);
  expect(started).toBe(attempt + 1);
  const isGivenUp = now.getTime() >= Date.parse(endTime) + 5 * minute;
  // Those of attempts before the last one were gone, or given up, when that one started.
  const present = pods.filter((pod) => pod.attempt === attempt || (pod.attempt < attempt && !pod.isTerminating));
  expect(present.every(({ isTerminating }) => isTerminating && isGivenUp)).toBe(true);
}
