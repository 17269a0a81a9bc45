import { describe, expect, it } from "vitest";

import type { SnapshotNote } from "../../../api/runtime/bundle.ts";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { firstStep, type FirstStep, type GivenFacts } from "../fake-steps.ts";

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

const first = aPrompt({ metadata: { namespace: "team", uid: "p1", resourceVersion: "101" } });

function facts(status: SessionStatus, more: { prompts?: Prompt[]; snapshot?: SnapshotNote } = {}): GivenFacts {
  const session = aSession({
    metadata: { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" },
    spec: { idleTimeoutSeconds: 86_400 },
    status: { lifetimeMs: 120 * minute, ...status },
  });
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

function withIdleTimeout(seconds: number, status: SessionStatus, snapshot?: SnapshotNote): GivenFacts {
  const of = facts(status, snapshot && { snapshot });
  const { session } = of;
  return { ...of, session: { ...session, spec: { ...session.spec, idleTimeoutSeconds: seconds } } };
}

const step = (of: GivenFacts, atMs: number): FirstStep => firstStep(of, new Date(epochMs + atMs), limits);

function written(of: GivenFacts, atMs: number): SessionStatus {
  const next = step(of, atMs);
  if (next.kind !== "writeStatus") throw new Error(`the step is ${next.kind}`);
  return next.status;
}

function notSaved(message: RegExp): object {
  const said = expect.stringMatching(message) as string;
  return expect.objectContaining({
    type: "WorkspaceSaved",
    status: "False",
    reason: "WorkspaceNotSaved",
    message: said,
  }) as object;
}

const isSaved = expect.objectContaining({ type: "WorkspaceSaved", status: "True", reason: "WorkspaceSaved" }) as object;

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
    const busy = facts({ sandbox: saving, queue: ["p1"], currentPrompt }, { prompts: [first] });
    expect(step(busy, 111 * minute)).toMatchObject({
      kind: "settlePrompt",
      prompt: first,
      reason: "SandboxLifetimeEnded",
    });
    const waiting = facts({ sandbox: saving, queue: ["p1"] }, { prompts: [first] });
    expect(written(waiting, 111 * minute).currentPrompt).toBeUndefined();
  });

  it("ends the sandbox once it is done, and the session says what the next one begins with", () => {
    const note = { bytes: 7, archive: "a1" };
    const status = written(facts({ sandbox: saving }, { snapshot: note }), 112 * minute);
    expect(status).toMatchObject({
      sandbox: { endTime: time(112 * minute), endReason: "SandboxLifetimeEnded" },
      snapshot: { attempt: 1, time: time(112 * minute), ...note },
      conditions: [{ status: "True", message: expect.stringContaining("its workspace was saved") as string }, isSaved],
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
      conditions: [
        { message: expect.stringContaining("could not be saved: it is too large") as string },
        notSaved(/was not saved: it is too large$/),
      ],
    });
  });

  it("has until the lifetime's end, and no idle clock ends it before", () => {
    const idle = withIdleTimeout(60, { sandbox: saving, idleSince: time(0) });
    expect(written(idle, 120 * minute - 1).sandbox?.endTime).toBeUndefined();
    expect(written(idle, 120 * minute)).toMatchObject({
      sandbox: { endReason: "SandboxLifetimeEnded" },
      conditions: [
        { message: expect.stringContaining("its workspace was not saved") as string },
        notSaved(/was not saved/),
      ],
    });
  });

  it("of an attempt that was not asked for it counts nothing", () => {
    expect(written(facts({ sandbox: ready }, { snapshot: { bytes: 7 } }), minute).snapshot).toBeUndefined();
  });
});

describe("an idle sandbox", () => {
  const idle = { sandbox: ready, idleSince: time(minute) };
  const savingIdle = { ...idle, sandbox: { ...ready, snapshotTime: time(11 * minute) } };

  it("is saved when it has been idle for long enough, and not before", () => {
    const before = written(withIdleTimeout(600, idle), 11 * minute - 1);
    expect(before.sandbox?.snapshotTime).toBeUndefined();
    expect(before.nextDeadline).toEqual({ time: time(11 * minute), reason: "SavingWorkspace" });
    const at = written(withIdleTimeout(600, idle), 11 * minute);
    expect(at.sandbox).toMatchObject({ snapshotTime: time(11 * minute) });
    expect(at.sandbox?.endTime).toBeUndefined();
    expect(at.nextDeadline).toEqual({ time: time(21 * minute), reason: "Stopped" });
  });

  it.each([
    { seconds: 0, end: "Stopped", begin: undefined },
    { seconds: 1, end: undefined, begin: time(minute + 1_000) },
  ])("that may be so for $seconds s ends with $end", ({ seconds, end, begin }) => {
    const { sandbox } = written(withIdleTimeout(seconds, idle), minute + seconds * 1_000);
    expect([sandbox?.endReason, sandbox?.snapshotTime]).toEqual([end, begin]);
  });

  it("ends once it is saved", () => {
    const saved = withIdleTimeout(600, savingIdle, { bytes: 7 });
    expect(written(saved, 12 * minute)).toMatchObject({
      sandbox: { endTime: time(12 * minute), endReason: "Stopped" },
      snapshot: { attempt: 1, bytes: 7 },
      conditions: [{ status: "True", message: expect.stringContaining("its workspace was saved") as string }, isSaved],
    });
  });

  it("stays up when the time to save it is over, and not before", () => {
    const before = written(withIdleTimeout(600, savingIdle), 21 * minute - 1);
    expect(before.sandbox).toMatchObject({ snapshotTime: time(11 * minute) });
    const given = written(withIdleTimeout(600, savingIdle), 21 * minute);
    expect(given.sandbox).toMatchObject({ saveFailures: 1, saveFailureTime: time(21 * minute) });
    expect([given.sandbox?.snapshotTime, given.sandbox?.endTime, given.snapshot]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(given.conditions).toMatchObject([
      { type: "Ready", status: "True", reason: "Idle" },
      notSaved(/could not be saved, so it stays up: it was not done within 600000 ms$/),
    ]);
  });

  it("stays up when it cannot be saved, with a Warning, and shows why while the try goes on", () => {
    const passing = withIdleTimeout(600, savingIdle, { problem: "the store is away", goesOn: true });
    const meanwhile = written(passing, 12 * minute);
    expect(meanwhile.sandbox?.snapshotTime).toBe(time(11 * minute));
    expect(meanwhile.conditions).toContainEqual(notSaved(/could not be saved yet: the store is away$/));
    const next = step(withIdleTimeout(600, savingIdle, { problem: "it is too large" }), 12 * minute);
    expect(next).toMatchObject({
      status: { sandbox: { saveFailures: 1 } },
      end: { reason: "WorkspaceNotSaved", message: expect.stringContaining("it is too large") as string },
    });
  });

  it.each([
    { failures: 1, againMinutes: 1 },
    { failures: 2, againMinutes: 2 },
    { failures: 5, againMinutes: 16 },
    { failures: 6, againMinutes: 30 },
    { failures: 1_000_000, againMinutes: 30 },
  ])("is saved again $againMinutes min after failure $failures, and not before", ({ failures, againMinutes }) => {
    const sandbox = { ...ready, snapshotTry: 7, saveFailures: failures, saveFailureTime: time(21 * minute) };
    const of = withIdleTimeout(600, { ...idle, sandbox }, { try: 7, problem: "of the last try" });
    expect(written(of, (21 + againMinutes) * minute - 1).sandbox?.snapshotTime).toBeUndefined();
    const again = { snapshotTime: time((21 + againMinutes) * minute), snapshotTry: 8, saveFailures: failures };
    expect(written(of, (21 + againMinutes) * minute).sandbox).toMatchObject(again);
  });

  it.each([
    { name: "another try", note: { try: 1, bytes: 7 }, endReason: undefined },
    { name: "a first try that says no number", note: { bytes: 7 }, endReason: undefined },
    { name: "this try", note: { try: 2, bytes: 7 }, endReason: "Stopped" },
  ])("goes by the note of this try: $name", ({ note, endReason }) => {
    const sandbox = { ...savingIdle.sandbox, snapshotTry: 2 };
    expect(written(withIdleTimeout(600, { ...idle, sandbox }, note), 12 * minute).sandbox?.endReason).toBe(endReason);
  });

  it.each([
    { name: "the class's", stored: { maxUnsavedSeconds: 3_600 }, minutes: 60 },
    { name: "the usual", stored: {}, minutes: 1_440 },
  ])("ends unsaved after $name time, and not before", ({ stored, minutes }) => {
    const failing = { snapshotTry: 3, saveFailures: 9, saveFailureTime: time((10 + minutes) * minute) };
    const status = { ...idle, lifetimeMs: undefined, sandbox: { ...ready, ...stored, ...failing } };
    const of = withIdleTimeout(600, status);
    expect(written(of, (11 + minutes) * minute - 1).sandbox?.endTime).toBeUndefined();
    const over = step(of, (11 + minutes) * minute);
    expect(over).toMatchObject({
      end: { reason: "WorkspaceNotSaved" },
      status: {
        sandbox: { endReason: "WorkspaceNotSaved" },
        conditions: [{ type: "Ready", status: "False" }, { type: "Stalled" }, notSaved(/was not saved/)],
      },
    });
  });

  it("ends with the first failure where the class allows no time unsaved", () => {
    const status = { ...savingIdle, sandbox: { ...savingIdle.sandbox, maxUnsavedSeconds: 0 } };
    const of = withIdleTimeout(600, status, { problem: "it is too large" });
    expect(written(of, 12 * minute).sandbox).toMatchObject({ endReason: "WorkspaceNotSaved" });
  });

  it("that is saved when its lifetime ends has its whole time for that", () => {
    const short = { ...savingIdle, lifetimeMs: 20 * minute, settings: settings(15 * minute) };
    expect(written(withIdleTimeout(600, short), 26 * minute - 1).sandbox?.endTime).toBeUndefined();
    expect(written(withIdleTimeout(600, short), 26 * minute).sandbox?.endReason).toBe("SandboxLifetimeEnded");
  });

  it("takes a prompt at once, which ends the saving and the count of failures", () => {
    const failing = { ...savingIdle.sandbox, snapshotTry: 3, saveFailures: 2, saveFailureTime: time(5 * minute) };
    for (const sandbox of [failing, { ...failing, snapshotTime: undefined }]) {
      const of = withIdleTimeout(600, { ...idle, sandbox, queue: ["p1"] });
      const status = written({ ...of, prompts: [first] }, 12 * minute);
      expect(status.currentPrompt).toMatchObject({ uid: "p1", startTime: time(12 * minute) });
      expect(status.sandbox).toMatchObject({ snapshotTry: 3 });
      const { snapshotTime, saveFailures, saveFailureTime } = status.sandbox!;
      expect([snapshotTime, saveFailures, saveFailureTime]).toEqual([undefined, undefined, undefined]);
    }
  });

  it("that is saved already ends all the same, and the prompt gets the next one", () => {
    const of = withIdleTimeout(600, { ...savingIdle, queue: ["p1"] }, { bytes: 7 });
    expect(written({ ...of, prompts: [first] }, 13 * minute).sandbox).toMatchObject({ endReason: "Stopped" });
  });

  it.each([
    { atMs: 20 * minute - 1, saving: false },
    { atMs: 20 * minute, saving: true },
  ])("goes on being saved for a prompt that comes in the last minutes of its lifetime: $saving", ({ atMs, saving }) => {
    const status = { ...savingIdle, lifetimeMs: 30 * minute, queue: ["p1"] };
    const { sandbox } = written({ ...withIdleTimeout(600, status), prompts: [first] }, atMs);
    expect(sandbox?.snapshotTime !== undefined).toBe(saving);
  });
});

describe("a workspace on a volume", () => {
  const volumeSnapshotClassName = "fast";
  const sandbox = { ...ready, volumeSnapshotClassName, snapshotTime: time(11 * minute) };
  const of = (volumeSnapshot?: GivenFacts["volumeSnapshot"]): GivenFacts => ({
    ...facts({ sandbox }, { snapshot: { bytes: 1 } }),
    volumeSnapshot,
  });

  it("is saved as a VolumeSnapshot once, whatever the gateway notes", () => {
    const begun = { ...of(), session: stored(of()) };
    expect(step(begun, 12 * minute)).toMatchObject({ kind: "snapshotVolume", sandbox: { podName: "fix-x-1" } });
    const waiting = step({ ...begun, volumeSnapshot: {} }, 12 * minute);
    expect(waiting).toEqual({ kind: "wait", atMs: epochMs + 12 * minute + 2_000 });
  });

  it("is saved when the snapshot is, under the pod's name", () => {
    expect(written(of({ note: { bytes: 7 } }), 12 * minute)).toMatchObject({
      sandbox: { endReason: "Stopped" },
      snapshot: { attempt: 1, bytes: 7, volumeSnapshotName: "fix-x-1" },
    });
  });

  it("has another try when the time to save it is over, and not before", () => {
    expect(written(of({}), 21 * minute - 1).sandbox?.saveFailures).toBeUndefined();
    expect(written(of({}), 21 * minute)).toMatchObject({ sandbox: { saveFailures: 1 } });
    expect(written(of({}), 21 * minute).snapshot).toBeUndefined();
  });

  it("is saved under a name of its own at a later try", () => {
    const again = of({ note: { bytes: 7 } });
    again.session.status = { ...again.session.status, sandbox: { ...sandbox, snapshotTry: 3 } };
    expect(written(again, 12 * minute).snapshot).toMatchObject({ volumeSnapshotName: "fix-x-1-3" });
  });

  /** The session with what is said of it stored, so that nothing is left to write. */
  function stored(facts: GivenFacts): Session {
    return { ...facts.session, status: written(facts, 12 * minute) };
  }
});

describe("a prompt that takes too long", () => {
  const hour = 60 * minute;
  const currentPrompt = { name: "fix-1", uid: "p1", startTime: time(0), deadline: time(hour) };
  const running: SessionStatus = { sandbox: ready, queue: ["p1"], currentPrompt, executionTimeoutMs: hour };
  const cut: SessionStatus = { ...running, sandbox: { ...ready, snapshotTime: time(hour) } };
  /** As it is stored when its prompt has its verdict. */
  const told: SessionStatus = { sandbox: cut.sandbox, executionTimeoutMs: hour, promptsEnded: 1 };
  const verdict = { status: "False" as const, reason: "ExecutionTimeout", message: "", lastTransitionTime: time(hour) };
  const failed: Prompt = {
    ...first,
    status: { conditions: [{ type: "Succeeded", ...verdict }], completionTime: time(hour) },
  };

  it("has the workspace saved from its deadline on, and not before", () => {
    const of = facts(running, { prompts: [first] });
    const before = written(of, hour - 1);
    expect(before.sandbox?.snapshotTime).toBeUndefined();
    expect(before.nextDeadline).toEqual({ time: time(hour), reason: "ExecutionTimeout" });
    const { sandbox, nextDeadline } = written(of, hour);
    expect(sandbox).toMatchObject({ snapshotTime: time(hour) });
    expect(sandbox?.endTime).toBeUndefined();
    expect(nextDeadline).toEqual({ time: time(hour + 10 * minute), reason: "ExecutionTimeout" });
  });

  it("fails at once", () => {
    expect(step(facts(cut, { prompts: [first] }), hour)).toMatchObject({
      kind: "settlePrompt",
      prompt: first,
      reason: "ExecutionTimeout",
      message: "the prompt was not done within its 3600000 ms",
    });
  });

  it.each([
    [110 * minute, "ExecutionTimeout"],
    [110 * minute + 1, "SandboxLifetimeEnded"],
  ])("with its deadline at %d ms fails by what came first, however late one looks: %s", (deadlineMs, reason) => {
    const late = { ...currentPrompt, deadline: time(deadlineMs) };
    const looked = { ...cut, currentPrompt: late, sandbox: { ...ready, snapshotTime: time(115 * minute) } };
    expect(step(facts(looked, { prompts: [first] }), 115 * minute)).toMatchObject({ kind: "settlePrompt", reason });
  });

  it("ends the sandbox once that is saved, and the next prompt waits for that", () => {
    const second = { ...first, metadata: { ...first.metadata, name: "fix-2", uid: "p2" } };
    const waiting = facts({ ...told, queue: ["p2"] }, { prompts: [failed, second] });
    const meanwhile = written(waiting, hour + minute);
    expect([meanwhile.currentPrompt, meanwhile.sandbox?.endTime]).toEqual([undefined, undefined]);

    const status = written(facts(told, { prompts: [failed], snapshot: { bytes: 7 } }), hour + minute);
    expect(status).toMatchObject({
      sandbox: { endReason: "ExecutionTimeout" },
      snapshot: { attempt: 1, bytes: 7 },
    });
    const message = "a prompt was not done within its time; its workspace was saved";
    expect(status.conditions?.[0]).toMatchObject({ type: "Ready", reason: "ExecutionTimeout", message });
  });

  it("ends the sandbox without that when it takes longer than finalSnapshotBufferMs", () => {
    const of = facts(told, { prompts: [failed] });
    expect(written(of, hour + 10 * minute - 1).sandbox?.endTime).toBeUndefined();
    const status = written(of, hour + 10 * minute);
    expect(status.sandbox?.endReason).toBe("ExecutionTimeout");
    const message = "the prompt was not done within its 3600000 ms; its workspace was not saved within 600000 ms";
    expect(status.conditions?.[0]).toMatchObject({ message });
  });

  it("saves nothing in a session that keeps no idle sandbox", () => {
    const of = { ...withIdleTimeout(0, running), prompts: [first] };
    expect(written(of, hour).sandbox).toMatchObject({ endReason: "ExecutionTimeout" });
    expect(written(of, hour).sandbox?.snapshotTime).toBeUndefined();
  });
});

describe("a prompt that waits in the last part of a sandbox's life", () => {
  const hour = 60 * minute;
  // A prompt may take 30 of the 110 minutes before saving begins, so another one begins in the first 80.
  const lastMs = 80 * minute;
  const used: Sandbox = { ...ready, forPromptUID: "p0" };
  const waits: SessionStatus = { sandbox: used, queue: ["p1"], executionTimeoutMs: 30 * minute };
  const waiting = (status: SessionStatus = {}, snapshot?: SnapshotNote): GivenFacts =>
    facts({ ...waits, ...status }, { prompts: [first], ...(snapshot && { snapshot }) });
  const savingFor: SessionStatus = { ...waits, sandbox: { ...used, snapshotTime: time(90 * minute), snapshotTry: 1 } };

  it.each([
    { atMs: lastMs - 1, begins: true },
    { atMs: lastMs, begins: true },
    { atMs: lastMs + 1, begins: false },
    { atMs: 110 * minute - 1, begins: false },
    { atMs: 110 * minute, begins: false },
  ])(
    "begins there while its whole budget is left, or waits for the workspace to be saved: $begins",
    ({ atMs, begins }) => {
      const { currentPrompt, sandbox } = written(waiting(), atMs);
      expect([currentPrompt?.uid, sandbox?.snapshotTime]).toEqual(begins ? ["p1", undefined] : [undefined, time(atMs)]);
      expect(sandbox?.endTime).toBeUndefined();
    },
  );

  it("has the workspace saved at once, and the session says why it waits", () => {
    const { conditions, nextDeadline } = written(waiting(), lastMs + 1);
    expect(conditions?.[0]).toMatchObject({
      reason: "SavingWorkspace",
      message: "the workspace is being saved; the next prompt begins in another sandbox",
    });
    expect(nextDeadline).toEqual({ time: time(lastMs + 1 + 10 * minute), reason: "Stopped" });
  });

  it("begins in the next sandbox once that is saved", () => {
    const status = written(waiting(savingFor, { bytes: 7, archive: "a1", try: 1 }), 91 * minute);
    expect(status).toMatchObject({
      queue: ["p1"],
      sandbox: { endTime: time(91 * minute), endReason: "Stopped" },
      snapshot: { attempt: 1, archive: "a1" },
    });
    expect(status.currentPrompt).toBeUndefined();
    const message = "too little of its lifetime was left for the next prompt, which begins in another sandbox";
    expect(status.conditions?.[0]).toMatchObject({ reason: "Stopped", message: `${message}; its workspace was saved` });
    const ended = waiting({ ...status, conditions: undefined });
    expect(step({ ...ended, pods: [], lease: undefined }, 92 * minute)).toMatchObject({
      kind: "start",
      attempt: 2,
      forPromptUID: "p1",
    });
  });

  it.each([
    { name: "has failed", note: { problem: "it is too large", try: 1 }, atMs: 91 * minute },
    { name: "was not done in its time", note: undefined, atMs: 100 * minute },
  ])("begins there after all where the save $name, and not before", ({ note, atMs }) => {
    const before = written(waiting(savingFor), atMs - 1);
    expect([before.currentPrompt, before.sandbox?.saveFailures]).toEqual([undefined, undefined]);
    const status = written(waiting(savingFor, note), atMs);
    expect(status.currentPrompt).toMatchObject({ uid: "p1", startTime: time(atMs) });
    const { snapshotTime, endTime, saveFailures } = status.sandbox!;
    expect([snapshotTime, endTime, saveFailures]).toEqual([undefined, undefined, undefined]);
    expect(status.conditions).toContainEqual(notSaved(/could not be saved, so it stays up/));
  });

  it("lets the save go on that had begun as the sandbox was idle", () => {
    const status = written(waiting({ ...savingFor, idleSince: time(79 * minute) }), 91 * minute);
    expect([status.currentPrompt, status.sandbox?.snapshotTime]).toEqual([undefined, time(90 * minute)]);
  });

  it("that is cancelled then leaves a sandbox that ends once it is saved", () => {
    const cancelled = waiting(savingFor, { bytes: 7, try: 1 });
    const prompt = { ...first, spec: { ...first.spec, cancel: true } };
    expect(step({ ...cancelled, prompts: [prompt] }, 91 * minute)).toMatchObject({ reason: "Cancelled" });
    const left = facts({ ...savingFor, queue: undefined }, { snapshot: { bytes: 7, try: 1 } });
    const { sandbox, conditions } = written(left, 91 * minute);
    expect(sandbox?.endReason).toBe("Stopped");
    expect(conditions?.[0]?.message).toBe(
      "nothing was left to do; the next prompt starts another sandbox; its workspace was saved",
    );
  });

  it("goes before those behind it", () => {
    const second = { ...first, metadata: { ...first.metadata, name: "fix-2", uid: "p2" } };
    const both = { ...waiting({ queue: ["p1", "p2"] }), prompts: [first, second] };
    expect(written(both, lastMs).currentPrompt?.uid).toBe("p1");
    expect(written(both, lastMs + 1).currentPrompt).toBeUndefined();
  });

  it.each([
    { name: "the prompt that the sandbox was started for", status: { sandbox: { ...ready, forPromptUID: "p1" } } },
    { name: "a prompt of a sandbox that nothing ends", status: { lifetimeMs: undefined } },
    {
      name: "a prompt whose budget no sandbox leaves, in the first half",
      status: { executionTimeoutMs: 2 * hour },
      atMs: 55 * minute,
    },
  ])("does not hold back $name", ({ status, atMs = lastMs + 1 }) => {
    expect(written(waiting(status), atMs).currentPrompt?.uid).toBe("p1");
  });

  it("holds a prompt back whose budget no sandbox leaves, in the second half", () => {
    const { currentPrompt, sandbox } = written(waiting({ executionTimeoutMs: 2 * hour }), 55 * minute + 1);
    expect([currentPrompt, sandbox?.snapshotTime]).toEqual([undefined, time(55 * minute + 1)]);
  });

  it("does not hold back one of a session that keeps nothing", () => {
    const of = { ...withIdleTimeout(0, waits), prompts: [first] };
    expect(written(of, lastMs + 1).currentPrompt?.uid).toBe("p1");
  });

  it("waits where no gateway could save the workspace", () => {
    const gatewayOutage = { fromMs: epochMs + 60 * minute };
    const { currentPrompt, sandbox } = written({ ...waiting(), gatewayOutage }, lastMs + 1);
    expect([currentPrompt, sandbox?.snapshotTime]).toEqual([undefined, undefined]);
  });

  describe("for which the sandbox was started, whose boot took until it has to be saved", () => {
    const booting = { ...ready, forPromptUID: "p1", readyTime: undefined };
    const short: SessionStatus = { sandbox: booting, lifetimeMs: 20 * minute };

    it("begins, where the lifetime waits for it", () => {
      const of = waiting({ ...short, executionTimeoutMs: 20 * minute });
      const { currentPrompt, sandbox, nextDeadline } = written(of, 12 * minute);
      expect([currentPrompt?.uid, sandbox?.snapshotTime]).toEqual(["p1", undefined]);
      expect(nextDeadline).toEqual({ time: time(32 * minute), reason: "ExecutionTimeout" });
    });

    it.each([
      { readyMs: 10 * minute - 1, fails: false },
      { readyMs: 10 * minute, fails: true },
    ])(
      "fails where the lifetime is shorter than its budget, or it would wait for ever: $fails",
      ({ readyMs, fails }) => {
        const sandbox = { ...booting, readyTime: time(readyMs), snapshotTime: time(10 * minute), snapshotTry: 1 };
        const of = waiting({ ...short, sandbox, executionTimeoutMs: 2 * hour });
        const next = step(of, 10 * minute);
        expect(next.kind).toBe(fails ? "settlePrompt" : "writeStatus");
        if (fails) expect(next).toMatchObject({ reason: "SandboxLifetimeEnded" });
      },
    );
  });
});

describe("a sandbox that is about to be lost", () => {
  const volume = { volumeSnapshotClassName: "fast" };
  const prompt = { name: "fix-1", uid: "p1", startTime: time(0), deadline: time(600 * minute) };

  interface Loss {
    sandbox?: Partial<Sandbox>;
    isTerminating?: boolean;
    isSilent?: boolean;
    note?: SnapshotNote;
  }

  function losing(
    { sandbox, isTerminating = false, isSilent = false, note }: Loss,
    more: SessionStatus = {},
  ): GivenFacts {
    const of = facts(
      { sandbox: { ...ready, ...sandbox }, ...more },
      { prompts: more.queue ? [first] : [], snapshot: note! },
    );
    const pods = of.pods.map((pod) => ({ ...pod, isTerminating, disruption: "EvictionByEvictionAPI: drained" }));
    return { ...of, pods, isSilent };
  }

  it.each([
    { name: "a pod that is deleted", loss: { isTerminating: true }, saves: true },
    { name: "a pod with a volume that is deleted", loss: { isTerminating: true, sandbox: volume }, saves: true },
    { name: "a silent runtime whose workspace is on a volume", loss: { isSilent: true, sandbox: volume }, saves: true },
    { name: "a silent runtime", loss: { isSilent: true }, saves: false },
    { name: "a silent runtime in a pod that is deleted", loss: { isSilent: true, isTerminating: true }, saves: false },
    {
      name: "boot in a pod that is deleted",
      loss: { isTerminating: true, sandbox: { readyTime: undefined } },
      saves: false,
    },
  ])("is saved before it ends, or ends at once: $name", ({ loss, saves }) => {
    const given = losing(loss);
    const lease = { isReady: loss.sandbox === undefined || !("readyTime" in loss.sandbox) };
    const { sandbox } = written({ ...given, lease }, minute);
    expect([sandbox?.snapshotTime !== undefined, sandbox?.endTime !== undefined]).toEqual([saves, !saves]);
  });

  it("ends at once in a session that keeps nothing", () => {
    const given = losing({ isTerminating: true });
    const session = { ...given.session, spec: { ...given.session.spec, idleTimeoutSeconds: 0 } };
    expect(written({ ...given, session }, minute).sandbox?.endReason).toBe("SandboxLost");
  });

  const begun = { snapshotTime: time(minute), snapshotTry: 1 };
  const drained = "pod fix-x-1 is being deleted: EvictionByEvictionAPI: drained";

  it("fails the prompt that is processed with the cause, and begins none", () => {
    const busy = losing({ isTerminating: true, sandbox: begun }, { queue: ["p1"], currentPrompt: prompt });
    expect(step(busy, 2 * minute)).toMatchObject({ kind: "settlePrompt", reason: "SandboxLost", message: drained });
    const waiting = losing({ isTerminating: true, sandbox: begun }, { queue: ["p1"] });
    expect(written(waiting, 2 * minute)).toMatchObject({ sandbox: begun });
    expect(written(waiting, 2 * minute).currentPrompt).toBeUndefined();
  });

  it("ends once it is saved, and the next one begins with what was saved", () => {
    const status = written(
      losing({ isTerminating: true, sandbox: begun, note: { bytes: 7, archive: "a1", try: 1 } }),
      2 * minute,
    );
    expect(status).toMatchObject({ sandbox: { endReason: "SandboxLost" }, snapshot: { attempt: 1, archive: "a1" } });
    expect(status.conditions).toContainEqual(isSaved);
  });

  it.each([
    { name: "the pod is gone", at: 2 * minute, pods: [], why: /pod fix-x-1 is gone/ },
    {
      name: "the time to save it is over",
      at: 11 * minute,
      pods: undefined,
      why: /is being deleted.*not saved within/,
    },
  ])("ends unsaved, and says so, where $name", ({ at, pods, why }) => {
    const given = losing({ isTerminating: true, sandbox: begun });
    expect(written({ ...given, pods: pods ?? given.pods }, at - 1).sandbox?.endTime === undefined).toBe(!pods);
    const status = written({ ...given, pods: pods ?? given.pods }, at);
    expect(status.sandbox?.endReason).toBe("SandboxLost");
    expect(status.conditions).toContainEqual(notSaved(why));
  });
});
