import { describe, expect, it } from "vitest";
import { aRun } from "../../../test/support/builders.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { activityOf } from "../../controllers/automation-activity.ts";
import { foldVerdict, hasFailure, resultOf, type SessionOutcome } from "../../controllers/run/verdict.ts";
import { pruneRuns } from "../../controllers/automation/history/history.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const second = 1_000;

interface Shape {
  state?: "unseen" | "Running" | "Completed" | "Failed" | "Skipped";
  /** How long ago it was made and, where it has ended, ended. */
  ageMs?: number;
  payload?: boolean;
  key?: string;
}

function webhookRun(name: string, { state = "Completed", ageMs = 0, payload = true, key }: Shape = {}): Run {
  const time = new Date(now.getTime() - ageMs).toISOString();
  const isOver = state !== "unseen" && state !== "Running";
  const status = isOver ? (state === "Completed" ? "True" : "False") : "Unknown";
  const condition = { type: "Succeeded", status, reason: state, message: "", lastTransitionTime: time } as const;
  const idempotencyKey = key === undefined ? {} : { idempotencyKey: key };
  return aRun({
    metadata: { name, uid: `uid-${name}`, creationTimestamp: time },
    spec: { trigger: { type: "Webhook", time, ...(payload ? { payload: "" } : {}), ...idempotencyKey } },
    status: state === "unseen" ? undefined : { conditions: [condition], ...(isOver ? { completionTime: time } : {}) },
  });
}

describe("the verdict on a Run's sessions", () => {
  const going = { state: "going", reason: "Running" } as const;
  const done = { state: "completed", reason: "Completed" } as const;
  const failed = { state: "failed", reason: "Failed" } as const;
  const lost = { state: "failed", reason: "BootTimeout" } as const;
  const late = { state: "failed", reason: "ExecutionTimeout" } as const;

  const cancelled = { state: "failed", reason: "Cancelled" } as const;

  function outcomes(states: readonly Pick<SessionOutcome, "state" | "reason">[]): SessionOutcome[] {
    return states.map((outcome, index) => ({ session: `s${index}`, message: `m${index}`, ...outcome }));
  }

  it.each([
    { states: [going], want: undefined },
    { states: [going, going], want: undefined },
    { states: [failed, going], want: undefined },
    { states: [done, going], want: undefined },
    { states: [done], want: [true, "Completed", "m0"] },
    { states: [done, done], want: [true, "Completed", "All 2 sessions completed"] },
    { states: [done, failed], want: [false, "PartiallyFailed", "1 of 2 sessions failed: s1 (Failed)"] },
    { states: [failed, failed], want: [false, "Failed", "2 of 2 sessions failed: s0 (Failed), s1 (Failed)"] },
    {
      states: [lost, lost],
      want: [false, "BootTimeout", "2 of 2 sessions failed: s0 (BootTimeout), s1 (BootTimeout)"],
    },
    { states: [lost, failed], want: [false, "Failed", "2 of 2 sessions failed: s0 (BootTimeout), s1 (Failed)"] },
    {
      states: [failed, late],
      want: [false, "ExecutionTimeout", "2 of 2 sessions failed: s0 (Failed), s1 (ExecutionTimeout)"],
    },
    { states: [done, late], want: [false, "PartiallyFailed", "1 of 2 sessions failed: s1 (ExecutionTimeout)"] },
    { states: [lost], want: [false, "BootTimeout", "m0"] },
  ])("$states.length sessions: $want", ({ states, want }) => {
    const verdict = foldVerdict(outcomes(states));
    expect(verdict && [verdict.succeeded, verdict.reason, verdict.message]).toEqual(want);
  });

  it.each([
    { states: [cancelled], want: true },
    { states: [cancelled, done], want: true },
    { states: [cancelled, failed], want: false },
    { states: [cancelled, done, lost], want: false },
    { states: [failed], want: false },
  ])("is a person's where nothing but cancelling kept $states from completing: $want", ({ states, want }) => {
    expect(foldVerdict(outcomes(states))).toMatchObject({ succeeded: false, isHarmless: want });
  });

  it("is a strike as soon as one of them failed", () => {
    expect(hasFailure(outcomes([going, done]))).toBe(false);
    expect(hasFailure(outcomes([going, failed]))).toBe(true);
    expect(hasFailure(outcomes([going, cancelled]))).toBe(false);
    expect(hasFailure(outcomes([cancelled, failed]))).toBe(true);
  });

  it("comes with the first result that there is", () => {
    const [first, last] = outcomes([done, done]);
    expect(resultOf([first!, { ...last!, result: { branch: "b" } }])).toEqual({ branch: "b" });
    expect(resultOf([first!])).toBeUndefined();
  });
});

describe("activity", () => {
  it("counts Runs that have not ended and shows the newest", () => {
    const runs = [
      webhookRun("ended", { ageMs: 3 * second }),
      webhookRun("going", { ageMs: 2 * second, state: "Running" }),
      webhookRun("waiting", { ageMs: second, state: "unseen" }),
    ];
    const lastRun = { name: "waiting", reason: "Pending", time: "2026-05-04T09:59:59.000Z" };
    expect(activityOf(runs)).toEqual({ activeRuns: 2, lastRun });
    expect(activityOf(runs.toReversed())).toEqual({ activeRuns: 2, lastRun });
  });

  it("tells Runs of one instant apart by name", () => {
    const runs = [webhookRun("b"), webhookRun("c"), webhookRun("a")];
    expect(activityOf(runs).lastRun?.name).toBe("c");
  });

  it("of no Runs is none", () => {
    expect(activityOf([])).toEqual({ activeRuns: 0 });
  });
});

describe("history", () => {
  const limits = {
    successfulLimit: 2,
    failedLimit: 1,
    skippedLimit: 1,
    ttlSeconds: 100,
    idempotencySeconds: 1_000,
    idempotencyKeys: 2,
  };
  const names = (runs: readonly Run[]): (string | undefined)[] => runs.map(({ metadata }) => metadata.name);

  it("keeps the newest of each kind and never counts or removes unfinished ones", () => {
    const runs = [
      webhookRun("c1", { ageMs: 1 * second }),
      webhookRun("c3", { ageMs: 3 * second }),
      webhookRun("c2", { ageMs: 2 * second }),
      webhookRun("f1", { ageMs: 1 * second, state: "Failed" }),
      webhookRun("s1", { ageMs: 1 * second, state: "Skipped" }),
      webhookRun("s2", { ageMs: 2 * second, state: "Skipped" }),
      webhookRun("f2", { ageMs: 3 * second, state: "Failed" }),
      webhookRun("old", { ageMs: 999 * second, state: "Running" }),
      webhookRun("unseen", { ageMs: 999 * second, state: "unseen" }),
    ];
    const { remove, empty } = pruneRuns(runs, limits, now);
    expect(names(remove).sort()).toEqual(["c3", "f2", "s2"]);
    expect(empty).toEqual([]);
  });

  it.each([
    { ageMs: 99_999, removed: [], nextMs: 1 },
    { ageMs: 100_000, removed: ["run"], nextMs: undefined },
  ])("lets a Run that ended $ageMs ms ago go: $removed", ({ ageMs, removed, nextMs }) => {
    const pruning = pruneRuns([webhookRun("run", { ageMs })], limits, now);
    expect(names(pruning.remove)).toEqual(removed);
    expect(pruning.nextMs).toBe(nextMs);
  });

  it("has a limit of its own for Runs that never started", () => {
    const skipped = [1, 2, 3].map((age) => webhookRun(`s${age}`, { ageMs: age * second, state: "Skipped" }));
    const runs = [...skipped, webhookRun("f", { ageMs: 9 * second, state: "Failed" })];
    const removed = (skippedLimit: number) => names(pruneRuns(runs, { ...limits, skippedLimit }, now).remove).sort();
    expect([4, 3, 2, 0].map(removed)).toEqual([[], [], ["s3"], ["s1", "s2", "s3"]]);
  });

  it("spares the same of two Runs that ended at one instant, whichever is listed first", () => {
    const runs = [webhookRun("first"), webhookRun("other")];
    const limit = { ...limits, successfulLimit: 1 };
    expect(names(pruneRuns(runs, limit, now).remove)).toEqual(["first"]);
    expect(names(pruneRuns(runs.toReversed(), limit, now).remove)).toEqual(["first"]);
  });

  it("may keep nothing at all", () => {
    const runs = [webhookRun("c"), webhookRun("f", { state: "Failed" }), webhookRun("s", { state: "Skipped" })];
    expect(
      names(pruneRuns(runs, { ...limits, successfulLimit: 0, failedLimit: 0, skippedLimit: 0 }, now).remove),
    ).toEqual(["c", "s", "f"]);
  });

  const keyed = `a-abcdefghijklmnopqrstuvwxyz`;

  it.each([
    { name: "by its name", run: (ageMs: number) => webhookRun(keyed, { ageMs }) },
    { name: "by its key", run: (ageMs: number) => webhookRun("by-hand", { ageMs, key: "k" }) },
  ])("empties a keyed Run, known $name, as long as its key is remembered", ({ run }) => {
    expect(names(pruneRuns([run(99_999)], limits, now).empty)).toEqual([]);
    expect(names(pruneRuns([run(100_000)], limits, now).empty)).toHaveLength(1);
    expect(names(pruneRuns([run(999_999)], limits, now).empty)).toHaveLength(1);
    expect(names(pruneRuns([run(999_999)], limits, now).remove)).toEqual([]);
    expect(names(pruneRuns([run(1_000_000)], limits, now).remove)).toHaveLength(1);
  });

  it("removes a keyed Run that never started: its key is free", () => {
    const skipped = webhookRun(keyed, { ageMs: 100_000, state: "Skipped", key: "k" });
    const { remove, empty } = pruneRuns([skipped], limits, now);
    expect([names(remove), names(empty)]).toEqual([[keyed], []]);
  });

  it("empties it once", () => {
    const emptied = webhookRun(keyed, { ageMs: 500 * second, payload: false });
    expect(pruneRuns([emptied], limits, now)).toEqual({ remove: [], empty: [], nextMs: 500 * second });
  });

  it("remembers the newest keys only", () => {
    const runs = [1, 2, 3].map((age) =>
      webhookRun(`k${age}`, { ageMs: (200 + age) * second, key: `${age}`, payload: false }),
    );
    const pruning = pruneRuns(runs, limits, now);
    expect(names(pruning.remove)).toEqual(["k3"]);
    expect(pruning.empty).toEqual([]);
  });
});
