import { describe, expect, it } from "vitest";
import type { AutomationSpec, Run, Session } from "../../../api/v1alpha1/index.ts";
import { makeSession } from "../resources.ts";
import { anAutomation, aRun, created, kinds, now, only, startFacts, verdictOf } from "../fake-facts.ts";
import { decideStart } from "./start.ts";

const operator = { settings: {}, executionTimeoutMs: 7_200_000 };
const daily = { type: "Schedule" as const, schedule: { cron: "0 9 * * *", timeZone: "UTC" } };

describe("a Run without a status", () => {
  it("gets its session before its start is stored, and its prompt afterwards", () => {
    const decision = decideStart(startFacts(), now, operator);
    expect(kinds(decision)).toEqual(["createSession", "writeRun", "createPrompt"]);
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    expect(decision.requeueMs).toBe(60_000);
    expect(only(decision, "writeRun").status).toMatchObject({
      startTime: "2026-05-04T10:00:00.000Z",
      executionBudgetMs: 7_200_000,
      nextDeadline: { time: "2026-05-04T13:40:00.000Z", reason: "ExecutionTimeout" },
      sessions: [{ name: "run-0" }],
    });
  });

  it.each([
    { name: "without a setting", settings: undefined, target: undefined, want: 7_200_000 },
    { name: "by the target's", settings: undefined, target: 2_700_000, want: 2_700_000 },
    { name: "by the automation's", settings: 14_400_000, target: 2_700_000, want: 14_400_000 },
  ])("stores the budget that counts $name", ({ settings, target, want }) => {
    const session = settings === undefined ? {} : { settings: { sandboxTimeoutMs: settings } };
    const targetSettings = [target === undefined ? undefined : { sandboxTimeoutMs: target }];
    const decision = decideStart(startFacts({ automation: anAutomation({ session }), targetSettings }), now, operator);
    expect(only(decision, "writeRun").status.executionBudgetMs).toBe(want);
  });

  it("has one session for each target and the longest of their budgets", () => {
    const targets = ["a", "b", "c"].map((name) => ({ repositoryRef: { name } }));
    const automation = anAutomation({ trigger: daily, targets });
    const targetSettings = [undefined, { sandboxTimeoutMs: 9_000_000 }, { sandboxTimeoutMs: 1_000 }];
    const run = aRun({ type: "Schedule" });
    const decision = decideStart(startFacts({ run, automation, targetSettings }), now, operator);
    expect(kinds(decision).filter((kind) => kind === "createSession")).toHaveLength(3);
    expect(only(decision, "writeRun").status).toMatchObject({
      executionBudgetMs: 9_000_000,
      sessions: [
        { name: "run-0", target: "Repository/a" },
        { name: "run-1", target: "Repository/b" },
        { name: "run-2", target: "Repository/c" },
      ],
    });
  });

  const slot = "2026-05-04T10:00:00Z";
  it.each([
    { type: "Schedule" as const, time: slot, next: slot, starts: false },
    { type: "Schedule" as const, time: slot, next: "2026-05-04T10:00:00.001Z", starts: true },
    { type: "Schedule" as const, time: slot, next: undefined, starts: true },
    // The Run of the next slot cannot be made, as where a quota is full.
    { type: "Schedule" as const, time: "2026-05-04T09:59:59.999Z", next: slot, starts: true },
    { type: "Manual" as const, time: slot, next: slot, starts: true },
  ])("of type $type and the slot $time, the next slot being $next, starts: $starts", ({ type, time, next, starts }) => {
    const automation = anAutomation({ trigger: daily }, { status: { nextScheduleTime: next } });
    const run = aRun({ type, time, payload: undefined });
    const decision = decideStart(startFacts({ automation, run }), now, operator);
    expect(decision.effects.length > 0).toBe(starts);
    if (!starts) expect(decision.requeueMs).toBe(100);
  });

  /** A Run that the controller first saw at this instant and that something refuses since. */
  function pendingSince(lastTransitionTime: string): Run {
    const mark = { lastTransitionTime, status: "Unknown" as const };
    const conditions = [
      { ...mark, type: "Succeeded", reason: "Pending", message: "full; it is tried again" },
      { ...mark, type: "Reconciling", reason: "ProgressingWithRetry", message: "full" },
    ];
    return { ...aRun({ time: "2026-05-03T10:00:00.000Z" }), status: { conditions } };
  }

  it.each([
    { limit: undefined, since: "2026-05-03T10:00:00Z", starts: true },
    { limit: 600, since: "2026-05-04T09:50:00.001Z", starts: true },
    { limit: 600, since: "2026-05-04T09:50:00Z", starts: false },
    { limit: 600, since: "2026-05-04T09:49:59.999Z", starts: false },
  ])("that is Pending since $since starts with maxPendingSeconds $limit: $starts", ({ limit, since, starts }) => {
    const pendingLimit = limit === undefined ? undefined : { className: "standard", seconds: limit };
    const decision = decideStart(startFacts({ run: pendingSince(since), pendingLimit }), now, operator);
    expect(verdictOf(decision)).toEqual(
      starts ? ["Unknown", "Running", undefined] : ["False", "Skipped", "StartDeadlineExceeded"],
    );
  });

  const paused = anAutomation({ suspend: true });
  const wanted = { annotations: { "runwright.dev/while-paused": "true" } };
  const unlabelled = { labels: {} };
  const byPerson = aRun({ type: "Manual", payload: undefined }, unlabelled);
  byPerson.spec.automationRef = { name: "triage" };

  it.each([
    {
      name: "its automation was never there",
      run: byPerson,
      facts: { automation: undefined },
      cause: "AutomationNotFound",
    },
    { name: "its automation is gone", run: aRun(), facts: { automation: undefined }, cause: "AutomationDeleted" },
    {
      name: "another one has the automation's name",
      run: aRun(),
      facts: { automation: anAutomation({}, { metadata: { name: "triage", uid: "other" } }) },
      cause: "AutomationReplaced",
    },
    {
      name: "its automation is being deleted",
      run: aRun(),
      facts: { automation: anAutomation({}, { metadata: { uid: "automation-uid", deletionTimestamp: created } }) },
      cause: "AutomationDeleted",
    },
    {
      name: "it is 6,000 s old",
      run: aRun({ time: "2026-05-04T08:20:00.000Z" }),
      facts: {},
      cause: "StartDeadlineExceeded",
    },
    {
      name: "it is a millisecond younger",
      run: aRun({ time: "2026-05-04T08:20:00.001Z" }),
      facts: {},
      cause: undefined,
    },
    { name: "the automation is paused", run: aRun(), facts: { automation: paused }, cause: "AutomationPaused" },
    {
      name: "a delivery asks to start while paused",
      run: aRun({}, wanted),
      facts: { automation: paused },
      cause: "AutomationPaused",
    },
    {
      name: "a person asks to start while paused",
      run: aRun({ type: "Manual", payload: undefined }, { ...wanted, labels: aRun().metadata.labels }),
      facts: { automation: paused },
      cause: undefined,
    },
    {
      name: "a manual one meets an active one",
      run: aRun({ type: "Manual" }),
      facts: { otherActive: "x" },
      cause: "ConcurrentRunActive",
    },
    {
      name: "a due one meets an active one",
      run: aRun({ type: "Schedule" }),
      facts: { automation: anAutomation({ trigger: daily }), otherActive: "x" },
      cause: "ConcurrentRunActive",
    },
    {
      name: "a delivery names an automation with a schedule",
      run: aRun(),
      facts: { automation: anAutomation({ trigger: daily }) },
      cause: "TriggerMismatch",
    },
    {
      name: "a due one names an automation with a webhook",
      run: aRun({ type: "Schedule" }),
      facts: {},
      cause: "TriggerMismatch",
    },
    {
      name: "a delivery names an automation without automatic trigger",
      run: aRun(),
      facts: { automation: anAutomation({ trigger: { type: "Manual" } }) },
      cause: "TriggerMismatch",
    },
    {
      name: "a person fires an automation with a schedule",
      run: aRun({ type: "Manual" }),
      facts: { automation: anAutomation({ trigger: daily }) },
      cause: undefined,
    },
    { name: "a delivery meets an active one", run: aRun(), facts: { otherActive: "x" }, cause: undefined },
    {
      name: "its automation does not fit the schema",
      run: aRun(),
      facts: { automation: anAutomation({ instructions: "" }) },
      cause: "InvalidSpec",
    },
  ])("is skipped or started when $name: $cause", ({ run, facts, cause }) => {
    const decision = decideStart(startFacts({ run, ...facts }), now, operator);
    expect(verdictOf(decision)).toEqual(cause ? ["False", "Skipped", cause] : ["Unknown", "Running", undefined]);
    expect(kinds(decision).includes("createSession")).toBe(cause === undefined);
    expect(only(decision, "writeRun").events?.[0]?.reason).toBe(cause ?? "Running");
  });

  it("names itself in the automation before a manual start, once", () => {
    const run = aRun({ type: "Manual" });
    const decision = decideStart(startFacts({ run }), now, operator);
    expect(kinds(decision)).toEqual(["writeAutomation", "createSession", "writeRun", "createPrompt"]);
    expect(only(decision, "writeAutomation").status).toMatchObject({
      active: { name: "run", uid: "run-uid" },
      activeRuns: 1,
      lastRun: { name: "run", reason: "Running" },
    });
    const claimed = anAutomation({}, { status: { active: { name: "run", uid: "run-uid" } } });
    expect(kinds(decideStart(startFacts({ run, automation: claimed }), now, operator))).not.toContain(
      "writeAutomation",
    );
  });

  it("lets go of the automation and of its sessions when it is skipped after all", () => {
    const run = aRun({ type: "Manual" });
    const automation = anAutomation({ suspend: true }, { status: { active: { name: "run", uid: "run-uid" } } });
    const leftSessions = [makeSession(run, automation, 0)];
    const decision = decideStart(startFacts({ run, automation, leftSessions }), now, operator);
    expect(kinds(decision)).toEqual(["writeAutomation", "deleteSession", "writeRun"]);
    expect(only(decision, "writeAutomation").status.active).toBeUndefined();
  });

  it("remembers which generation of its automation it was started with", () => {
    const decision = decideStart(startFacts(), now, operator);
    expect(only(decision, "writeRun").status.automationGeneration).toBe(3);
    expect(only(decision, "createPrompt").automation.metadata.generation).toBe(3);
  });

  const targets = ["a", "b"].map((name) => ({ repositoryRef: { name } }));
  const left = (spec: Partial<AutomationSpec>, index = 0): Session => {
    const made = makeSession(aRun(), anAutomation({ trigger: daily, targets, ...spec }), index);
    // As stored, with the settings that the API server fills in.
    return { ...made, spec: { settings: {}, ...made.spec } };
  };

  it.each([
    { name: "the same", leftSessions: [left({}), left({}, 1)], want: [] },
    { name: "of another ServiceAccount", leftSessions: [left({ serviceAccountName: "other" })], want: ["run-0"] },
    { name: "on another target", leftSessions: [left({ targets: targets.toReversed() })], want: ["run-0"] },
    {
      name: "on a target that no longer exists",
      leftSessions: [left({ targets: [...targets, { repositoryRef: { name: "c" } }] }, 2)],
      want: ["run-2"],
    },
  ])("removes sessions of an earlier attempt that are $name: $want", ({ leftSessions, want }) => {
    const automation = anAutomation({ trigger: daily, targets });
    const decision = decideStart(
      startFacts({ run: aRun({ type: "Schedule" }), automation, leftSessions }),
      now,
      operator,
    );
    const removed = decision.effects.filter((effect) => effect.kind === "deleteSession");
    expect(removed.map(({ session }) => session.metadata.name)).toEqual(want);
    expect(kinds(decision).indexOf("createSession")).toBeGreaterThanOrEqual(want.length);
    expect(kinds(decision).filter((kind) => kind === "createSession")).toHaveLength(2);
  });

  it("gets the label of its automation where a person left it out or wrote another", () => {
    for (const labels of [{}, { "runwright.dev/automation-uid": "wrong" }]) {
      const decision = decideStart(startFacts({ run: aRun({}, { labels }) }), now, operator);
      expect(decision.effects[0]).toEqual({ kind: "labelRun", automationUid: "automation-uid" });
    }
  });
});
