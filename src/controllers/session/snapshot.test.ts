import { describe, expect, it } from "vitest";

import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Sandbox, Session, SessionStatus } from "../../api/v1alpha1/session.ts";
import type { SessionFacts } from "./facts.ts";
import { nextStep, type Step } from "./plan.ts";

const epochMs = Date.UTC(2026, 4, 4, 10);
const minute = 60_000;
const limits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 120 * minute };
const time = (ms: number): string => new Date(epochMs + ms).toISOString();

const ready: Sandbox = {
  attempt: 1,
  podName: "fix-x-1",
  podUID: "u1",
  createTime: time(0),
  containerStartTime: time(0),
  connectTime: time(0),
  readyTime: time(0),
};
const saving: Sandbox = { ...ready, snapshotTime: time(110 * minute) };

const settings = (finalSnapshotBufferMs: number): NonNullable<SessionStatus["settings"]> => ({
  finalSnapshotBufferMs,
  tunnelPorts: [],
  maxConcurrentChildSessions: 5,
  maxTotalChildSessions: 15,
  buildTimeoutSeconds: 1_800,
  maxSessionCostUsd: "",
});

const aPrompt: Prompt = {
  metadata: { name: "fix-1", namespace: "team", uid: "p1", resourceVersion: "101" },
  spec: { sessionRef: { name: "fix" }, text: "" },
};

function facts(status: SessionStatus, more: { prompts?: Prompt[]; snapshot?: SnapshotNote } = {}): SessionFacts {
  const session: Session = {
    metadata: { name: "fix", namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" },
    spec: { target: {}, serviceAccountName: "runner", idleTimeoutSeconds: 86_400 },
    status: { lifetimeMs: 120 * minute, ...status },
  };
  const pod = { name: "fix-x-1", uid: "u1", resourceVersion: "7", attempt: 1, isStarted: true, isTerminating: false };
  return {
    session,
    prompts: more.prompts ?? [],
    pods: [pod],
    secrets: [],
    children: [],
    lease: { isReady: true, snapshot: more.snapshot },
    isSilent: false,
  };
}

const step = (of: SessionFacts, atMs: number): Step => nextStep(of, new Date(epochMs + atMs), limits);

function written(of: SessionFacts, atMs: number): SessionStatus {
  const next = step(of, atMs);
  if (next.kind !== "writeStatus") throw new Error(`the step is ${next.kind}`);
  return next.status;
}

describe("the saving of a workspace", () => {
  it.each([
    { name: "2 h less 10 min", lifetime: 120, buffer: 10, starts: 110 },
    { name: "45 min less 10 min", lifetime: 45, buffer: 10, starts: 35 },
    { name: "45 min less 5 min", lifetime: 45, buffer: 5, starts: 40 },
  ])("begins at $name and not before", ({ lifetime, buffer, starts }) => {
    const status = { sandbox: ready, lifetimeMs: lifetime * minute, settings: settings(buffer * minute) };
    const before = written(facts(status), starts * minute - 1);
    expect(before.sandbox?.snapshotTime).toBeUndefined();
    expect(before.nextDeadline).toEqual({ time: time(starts * minute), reason: "SavingWorkspace" });
    const at = written(facts(status), starts * minute);
    expect(at.sandbox).toMatchObject({ snapshotTime: time(starts * minute) });
    expect(at.sandbox?.endTime).toBeUndefined();
    expect(at.nextDeadline).toEqual({ time: time(lifetime * minute), reason: "SandboxLifetimeEnded" });
    expect(at.conditions?.[0]).toMatchObject({ type: "Ready", status: "False", reason: "SavingWorkspace" });
  });

  it("is left out where the lifetime leaves no time for it, or boot has not ended", () => {
    const short = { sandbox: ready, lifetimeMs: 10 * minute };
    expect(written(facts(short), 10 * minute - 1).sandbox?.snapshotTime).toBeUndefined();
    expect(written(facts(short), 10 * minute).sandbox).toMatchObject({ endReason: "SandboxLifetimeEnded" });
    const booting = { sandbox: { ...ready, readyTime: undefined }, lifetimeMs: 20 * minute };
    const unready = { ...facts(booting), lease: { isReady: false } };
    expect(written(unready, 15 * minute).sandbox?.snapshotTime).toBeUndefined();
  });

  it("fails the prompt that is processed, and begins none that waits", () => {
    const currentPrompt = { name: "fix-1", uid: "p1", startTime: time(0), deadline: time(600 * minute) };
    const busy = facts({ sandbox: saving, queue: ["p1"], currentPrompt }, { prompts: [aPrompt] });
    expect(step(busy, 111 * minute)).toMatchObject({
      kind: "settlePrompt",
      prompt: aPrompt,
      reason: "SandboxLifetimeEnded",
    });
    const waiting = facts({ sandbox: saving, queue: ["p1"] }, { prompts: [aPrompt] });
    expect(written(waiting, 111 * minute).currentPrompt).toBeUndefined();
  });

  it("ends the sandbox once it is done, and the session says what the next one begins with", () => {
    const status = written(facts({ sandbox: saving }, { snapshot: { bytes: 7 } }), 112 * minute);
    expect(status).toMatchObject({
      sandbox: { endTime: time(112 * minute), endReason: "SandboxLifetimeEnded" },
      snapshot: { attempt: 1, time: time(112 * minute), bytes: 7 },
      conditions: [{ status: "True", message: expect.stringContaining("its workspace was saved") as string }],
    });
  });

  it("ends the sandbox when it cannot be done, and keeps what was saved before", () => {
    const earlier = { attempt: 4, time: time(0), bytes: 1 };
    const before = { sandbox: { ...saving, attempt: 5 }, snapshot: earlier };
    const of = facts(before, { snapshot: { problem: "it is too large" } });
    const status = written({ ...of, pods: of.pods.map((pod) => ({ ...pod, attempt: 5 })) }, 112 * minute);
    expect(status).toMatchObject({
      sandbox: { endReason: "SandboxLifetimeEnded" },
      snapshot: earlier,
      conditions: [{ message: expect.stringContaining("could not be saved: it is too large") as string }],
    });
  });

  it("has until the lifetime's end, and no idle clock ends it before", () => {
    const idle = facts({ sandbox: saving, idleSince: time(0) });
    const { session } = idle;
    const impatient = { ...idle, session: { ...session, spec: { ...session.spec, idleTimeoutSeconds: 60 } } };
    expect(written(impatient, 120 * minute - 1).sandbox?.endTime).toBeUndefined();
    expect(written(impatient, 120 * minute)).toMatchObject({
      sandbox: { endReason: "SandboxLifetimeEnded" },
      conditions: [{ message: expect.stringContaining("its workspace was not saved") as string }],
    });
  });

  it("of an attempt that was not asked for it counts nothing", () => {
    expect(written(facts({ sandbox: ready }, { snapshot: { bytes: 7 } }), minute).snapshot).toBeUndefined();
  });
});
