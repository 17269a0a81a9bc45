import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Automation, AutomationSpec, Prompt, Run, Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions/index.ts";
import type { RunAction, RunPlan } from "./action.ts";
import { planAfter } from "./after/plan.ts";
import { type Child, type FollowFacts, planFollow } from "./follow/plan.ts";
import { skippedStatus } from "./lifecycle.ts";
import { firstPromptName, makeFirstPrompt, makeSession, sessionName } from "./resources.ts";
import { planStart, type StartFacts } from "./start/plan.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const operator = { executionTimeoutMs: 7_200_000 };
const created = "2026-05-04T09:59:59.000Z";
const daily = { type: "Schedule" as const, schedule: { cron: "0 9 * * *", timeZone: "UTC" } };

function anAutomation(spec: Partial<AutomationSpec> = {}, more: Partial<Automation> = {}): Automation {
  return {
    metadata: { name: "triage", namespace: "demo", uid: "automation-uid", generation: 3 },
    spec: {
      instructions: "Fix it.",
      suspend: false,
      trigger: { type: "Webhook" },
      targets: [],
      session: {},
      serviceAccountName: "runner",
      history: { successfulLimit: 1, failedLimit: 1, ttlSeconds: 60, idempotencySeconds: 60, idempotencyKeys: 1 },
      ...spec,
    },
    ...more,
  };
}

function aRun(trigger: Partial<Run["spec"]["trigger"]> = {}, metadata: Run["metadata"] = {}): Run {
  return {
    metadata: {
      name: "run",
      namespace: "demo",
      uid: "run-uid",
      generation: 1,
      creationTimestamp: created,
      labels: { "runwright.dev/automation-uid": "automation-uid" },
      ...metadata,
    },
    spec: {
      automationRef: { name: "triage", uid: "automation-uid" },
      trigger: { type: "Webhook", time: created, payload: "{}", ...trigger },
    },
  };
}

function startFacts(facts: Partial<StartFacts> = {}): StartFacts {
  const run = facts.run ?? aRun();
  return {
    run,
    automation: anAutomation(),
    runs: [run],
    otherActive: undefined,
    leftSessions: [],
    targetSettings: [],
    ...facts,
  };
}

function kinds({ actions }: RunPlan): string[] {
  return actions.map(({ kind }) => kind);
}

function only<Kind extends RunAction["kind"]>(plan: RunPlan, kind: Kind): Extract<RunAction, { kind: Kind }> {
  const found = plan.actions.filter((action): action is Extract<RunAction, { kind: Kind }> => action.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!;
}

function verdictOf(plan: RunPlan): (string | undefined)[] {
  const { conditions } = only(plan, "writeRun").status;
  const [succeeded, stalled] = ["Succeeded", "Stalled"].map((type) => findCondition(conditions, type));
  return [succeeded?.status, succeeded?.reason, stalled?.reason];
}

describe("a Run that nobody has judged", () => {
  it("gets its session before its start is stored, and its prompt afterwards", () => {
    const plan = planStart(startFacts(), now, operator);
    expect(kinds(plan)).toEqual(["createSession", "writeRun", "createPrompt"]);
    expect(verdictOf(plan)).toEqual(["Unknown", "Running", undefined]);
    expect(plan.requeueMs).toBe(7_200_000 + 6_000_000);
    expect(only(plan, "writeRun").status).toMatchObject({
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
    const plan = planStart(startFacts({ automation: anAutomation({ session }), targetSettings }), now, operator);
    expect(only(plan, "writeRun").status.executionBudgetMs).toBe(want);
  });

  it("has one session for each target and the longest of their budgets", () => {
    const targets = ["a", "b", "c"].map((name) => ({ repositoryRef: { name } }));
    const automation = anAutomation({ trigger: daily, targets });
    const targetSettings = [undefined, { sandboxTimeoutMs: 9_000_000 }, { sandboxTimeoutMs: 1_000 }];
    const plan = planStart(startFacts({ automation, targetSettings }), now, operator);
    expect(kinds(plan).filter((kind) => kind === "createSession")).toHaveLength(3);
    expect(only(plan, "writeRun").status).toMatchObject({
      executionBudgetMs: 9_000_000,
      sessions: [
        { name: "run-0", target: "Repository/a" },
        { name: "run-1", target: "Repository/b" },
        { name: "run-2", target: "Repository/c" },
      ],
    });
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
      name: "a delivery asks to start it all the same",
      run: aRun({}, wanted),
      facts: { automation: paused },
      cause: "AutomationPaused",
    },
    {
      name: "a person asks to start it all the same",
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
      facts: { otherActive: "x" },
      cause: "ConcurrentRunActive",
    },
    { name: "a delivery meets an active one", run: aRun(), facts: { otherActive: "x" }, cause: undefined },
    {
      name: "its automation does not fit the schema",
      run: aRun(),
      facts: { automation: anAutomation({ instructions: "" }) },
      cause: "InvalidSpec",
    },
  ])("is skipped or started when $name: $cause", ({ run, facts, cause }) => {
    const plan = planStart(startFacts({ run, ...facts }), now, operator);
    expect(verdictOf(plan)).toEqual(cause ? ["False", "Skipped", cause] : ["Unknown", "Running", undefined]);
    expect(kinds(plan).includes("createSession")).toBe(cause === undefined);
    expect(only(plan, "writeRun").events?.[0]?.reason).toBe(cause ?? "Running");
  });

  it("names itself in the automation before a manual start, once", () => {
    const run = aRun({ type: "Manual" });
    const plan = planStart(startFacts({ run }), now, operator);
    expect(kinds(plan)).toEqual(["writeAutomation", "createSession", "writeRun", "createPrompt"]);
    expect(only(plan, "writeAutomation").status).toMatchObject({
      active: { name: "run", uid: "run-uid" },
      activeRuns: 1,
      lastRun: { name: "run", reason: "Running" },
    });
    const claimed = anAutomation({}, { status: { active: { name: "run", uid: "run-uid" } } });
    expect(kinds(planStart(startFacts({ run, automation: claimed }), now, operator))).not.toContain("writeAutomation");
  });

  it("lets go of the automation and of its sessions when it is skipped after all", () => {
    const run = aRun({ type: "Manual" });
    const automation = anAutomation({ suspend: true }, { status: { active: { name: "run", uid: "run-uid" } } });
    const leftSessions = [makeSession(run, automation, 0)];
    const plan = planStart(startFacts({ run, automation, leftSessions }), now, operator);
    expect(kinds(plan)).toEqual(["writeAutomation", "deleteSession", "writeRun"]);
    expect(only(plan, "writeAutomation").status.active).toBeUndefined();
  });

  it("gets the label of its automation where a person left it out or wrote another", () => {
    for (const labels of [{}, { "runwright.dev/automation-uid": "wrong" }]) {
      const plan = planStart(startFacts({ run: aRun({}, { labels }) }), now, operator);
      expect(plan.actions[0]).toEqual({ kind: "labelRun", automationUid: "automation-uid" });
    }
  });
});

function started(sessions = ["run-0"], more: Run["status"] = {}): Run {
  return {
    ...aRun(),
    status: {
      startTime: "2026-05-04T10:00:00.000Z",
      executionBudgetMs: 60_000,
      sessions: sessions.map((name) => ({ name })),
      ...more,
    },
  };
}

function aChild(name: string, verdict?: { status: "True" | "False"; reason: string }): Child {
  const prompt: Prompt = {
    metadata: { name: firstPromptName(name), generation: 1 },
    spec: { sessionRef: { name }, text: "" },
    status: {
      conditions: verdict && [
        { type: "Succeeded", ...verdict, message: `${name} ${verdict.reason}`, lastTransitionTime: created },
      ],
    },
  };
  return { name, session: aSession(name), prompt };
}

function aSession(name: string, status: Session["status"] = {}): Session {
  return { ...makeSession(aRun(), anAutomation(), 0), metadata: { name, uid: `${name}-uid` }, status };
}

function followFacts(children: Child[], facts: Partial<FollowFacts> = {}): FollowFacts {
  const run = started(children.map(({ name }) => name));
  return { run, automation: anAutomation(), runs: [run], children, ...facts };
}

const completed = { status: "True", reason: "Completed" } as const;
const failed = { status: "False", reason: "BootTimeout" } as const;

describe("a Run that is under way", () => {
  it("waits for its sessions until its sweep", () => {
    const plan = planFollow(followFacts([aChild("run-0")]), now);
    expect(kinds(plan)).toEqual(["writeRun"]);
    expect(verdictOf(plan)).toEqual(["Unknown", "Running", undefined]);
    expect(plan.requeueMs).toBe(6_060_000);
  });

  it("completes, and needs no write of its automation when there are no strikes", () => {
    const plan = planFollow(followFacts([aChild("run-0", completed)]), now);
    expect(kinds(plan)).toEqual(["writeRun"]);
    expect(verdictOf(plan)).toEqual(["True", "Completed", undefined]);
  });

  it("clears strikes before its verdict", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const plan = planFollow(followFacts([aChild("run-0", completed)], { automation }), now);
    expect(kinds(plan)).toEqual(["writeAutomation", "writeRun"]);
    expect(only(plan, "writeAutomation").status).toMatchObject({
      consecutiveFailures: 0,
      strikes: ["run-uid"],
      activeRuns: 0,
      lastRun: { name: "run", reason: "Completed" },
    });
  });

  it("is a strike before its verdict, and none when that was written already", () => {
    const facts = followFacts([aChild("run-0", failed)]);
    const plan = planFollow(facts, now);
    expect(kinds(plan)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(plan)).toEqual(["False", "BootTimeout", "BootTimeout"]);
    const { status } = only(plan, "writeAutomation");
    expect(status).toMatchObject({ consecutiveFailures: 1, strikes: ["run-uid"], activeRuns: 0 });
    expect(kinds(planFollow({ ...facts, automation: anAutomation({}, { status }) }, now))).toEqual(["writeRun"]);
  });

  it("is a strike when its first session fails and no second one when it ends", () => {
    const facts = followFacts([aChild("run-0", failed), aChild("run-1")]);
    const early = planFollow(facts, now);
    expect(kinds(early)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(early)).toEqual(["Unknown", "Running", undefined]);
    const automation = anAutomation({}, { status: only(early, "writeAutomation").status });
    const late = planFollow(
      { ...facts, automation, children: [aChild("run-0", failed), aChild("run-1", completed)] },
      now,
    );
    expect(kinds(late)).toEqual(["writeRun"]);
    expect(verdictOf(late)).toEqual(["False", "PartiallyFailed", "PartiallyFailed"]);
  });

  it("pauses its automation with the third strike and says so once", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const plan = planFollow(followFacts([aChild("run-0", failed)], { automation }), now);
    const { status, events } = only(plan, "writeAutomation");
    expect(findCondition(status.conditions, "Paused")).toMatchObject({ status: "True", reason: "TooManyFailures" });
    expect(events).toMatchObject([{ on: "Automation", reason: "TooManyFailures" }]);
  });

  it("lets go of the automation that it holds with its verdict's count", () => {
    const automation = anAutomation({}, { status: { active: { name: "run", uid: "run-uid" } } });
    const plan = planFollow(followFacts([aChild("run-0", completed)], { automation }), now);
    expect(kinds(plan)).toEqual(["writeAutomation", "writeRun"]);
    expect(only(plan, "writeAutomation").status.active).toBeUndefined();
  });

  it.each([
    { name: "never made", session: aSession("run-0"), want: ["createPrompt", "writeRun"] },
    { name: "deleted", session: aSession("run-0", { promptsEnded: 1 }), want: ["writeAutomation", "writeRun"] },
  ])("takes a missing prompt for $name by what its session did", ({ session, want }) => {
    const plan = planFollow(followFacts([{ name: "run-0", session, prompt: undefined }]), now);
    expect(kinds(plan)).toEqual(want);
  });

  it.each([
    { name: "is gone", session: undefined },
    { name: "is being deleted", session: { ...aSession("run-0"), metadata: { deletionTimestamp: created } } },
  ])("is cancelled when its session $name", ({ session }) => {
    const plan = planFollow(followFacts([{ name: "run-0", session, prompt: undefined }]), now);
    expect(verdictOf(plan)).toEqual(["False", "Cancelled", "Cancelled"]);
  });

  it.each([
    { atMs: 6_059_999, want: ["writeRun"] },
    { atMs: 6_060_000, want: ["settlePrompt", "writeAutomation", "writeRun"] },
  ])("is swept at its deadline and not before: $atMs", ({ atMs, want }) => {
    const plan = planFollow(followFacts([aChild("run-0")]), new Date(now.getTime() + atMs));
    expect(kinds(plan)).toEqual(want);
    if (want.length === 1) return;
    expect(verdictOf(plan)).toEqual(["False", "ExecutionTimeout", "ExecutionTimeout"]);
    expect(findCondition(only(plan, "settlePrompt").status.conditions, "Succeeded")).toMatchObject({ status: "False" });
  });

  it("keeps the verdict of its sessions when the sweep comes late", () => {
    const plan = planFollow(followFacts([aChild("run-0", completed)]), new Date(now.getTime() + 99_000_000));
    expect(verdictOf(plan)).toEqual(["True", "Completed", undefined]);
  });

  it("is deleted when its automation is gone", () => {
    const plan = planFollow(followFacts([aChild("run-0")], { automation: undefined }), now);
    expect(kinds(plan)).toEqual(["deleteRun"]);
  });
});

describe("whatever its sessions come to", () => {
  const verdicts = fc.constantFrom(undefined, completed, failed, { status: "False", reason: "Failed" } as const);
  const instants = fc.integer({ min: 0, max: 7_000_000 }).map((ms) => new Date(now.getTime() + ms));

  it("a Run goes on until all have ended or its sweep, and is planned once for each outcome", () => {
    fc.assert(
      fc.property(fc.array(verdicts, { minLength: 1, maxLength: 10 }), instants, (wanted, at) => {
        const children = wanted.map((verdict, index) => aChild(`run-${index}`, verdict));
        const facts = followFacts(children);
        const plan = planFollow(facts, at);
        const isOver = !wanted.includes(undefined) || at.getTime() >= now.getTime() + 6_060_000;
        const { status } = only(plan, "writeRun");
        expect(findCondition(status.conditions, "Succeeded")?.status === "Unknown").toBe(!isOver);
        expect(plan.requeueMs === undefined).toBe(isOver);
        expect(plan.requeueMs ?? 1).toBeGreaterThan(0);

        // The same facts after these writes ask for none of them again.
        const counted = plan.actions.find((action) => action.kind === "writeAutomation");
        const automation = counted ? { ...facts.automation!, status: counted.status } : facts.automation;
        const again = planFollow({ ...facts, automation, run: { ...facts.run, status } }, at);
        expect(again.actions.filter(({ kind }) => kind === "writeAutomation")).toEqual([]);
        if (!isOver) expect(only(again, "writeRun").status).toEqual(status);
      }),
    );
  });
});

describe("a Run that has ended", () => {
  function ended(cause: string, completionTime = now.toISOString()): Run {
    const run = aRun();
    return { ...run, status: { ...skippedStatus(run, cause, "", now), completionTime } };
  }

  it.each([
    { cause: "AutomationDeleted", agoMs: 3_599_999, want: [], requeueMs: 1 },
    { cause: "AutomationDeleted", agoMs: 3_600_000, want: ["deleteRun"], requeueMs: undefined },
    { cause: "AutomationReplaced", agoMs: 0, want: [], requeueMs: 3_600_000 },
    { cause: "AutomationNotFound", agoMs: 0, want: [], requeueMs: 3_600_000 },
    { cause: "AutomationPaused", agoMs: 0, want: ["deleteRun"], requeueMs: undefined },
  ])(
    "is kept for an hour when it could not start for want of its automation: $cause, $agoMs",
    ({ cause, agoMs, want, requeueMs }) => {
      const run = ended(cause, new Date(now.getTime() - agoMs).toISOString());
      const plan = planAfter({ run, isAutomationGone: true, prompts: [] }, now);
      expect([kinds(plan), plan.requeueMs]).toEqual([want, requeueMs]);
    },
  );

  const [late] = [aChild("run-0", failed).prompt!].map((prompt) => ({
    ...prompt,
    status: { ...prompt.status, lateResult: { branch: "late" } },
  }));

  it("keeps a late result as a note, once", () => {
    const run = ended("ExecutionTimeout");
    const plan = planAfter({ run, isAutomationGone: false, prompts: [late!] }, now);
    expect(only(plan, "writeRun").status).toMatchObject({ lateResult: { branch: "late" } });
    expect(verdictOf(plan)).toEqual(["False", "Skipped", "ExecutionTimeout"]);
    const noted = { ...run, status: only(plan, "writeRun").status };
    expect(kinds(planAfter({ run: noted, isAutomationGone: false, prompts: [late!] }, now))).toEqual([]);
  });

  it("follows the generation that it got when its payload was taken out", () => {
    const run = ended("ExecutionTimeout");
    const emptied = { ...run, metadata: { ...run.metadata, generation: 2 } };
    const plan = planAfter({ run: emptied, isAutomationGone: false, prompts: [] }, now);
    expect(only(plan, "writeRun").status.observedGeneration).toBe(2);
  });
});

describe("what a Run makes", () => {
  it.each([
    ["r", "r-0"],
    ["r".repeat(59), `${"r".repeat(59)}-0`],
  ])("has names that follow from the Run's: %s", (name, want) => {
    expect(sessionName(aRun({}, { name }), 0)).toBe(want);
  });

  it("has names of at most 63 characters that differ where long ones do", () => {
    const names = ["a", "b"].map((end) => sessionName(aRun({}, { name: `${"r".repeat(62)}${end}` }), 9));
    expect(names.map((name) => firstPromptName(name).length)).toEqual([63, 63]);
    expect(names[0]).not.toBe(names[1]);
  });

  it("has a title of at most 200 characters", () => {
    const automation = anAutomation({ displayName: "😀".repeat(200) });
    expect(Array.from(makeSession(aRun(), automation, 0).spec.title!)).toHaveLength(200);
  });

  it.each([
    { target: { repositoryRef: { name: "checkout" } }, want: { repositoryRefs: [{ name: "checkout" }] } },
    { target: { environmentRef: { name: "shop" } }, want: { environmentRef: { name: "shop" } } },
  ])("works on the automation's target", ({ target, want }) => {
    expect(makeSession(aRun(), anAutomation({ targets: [target] }), 0).spec.target).toEqual(want);
  });

  it.each([
    { type: "Webhook", text: /^Fix it\.\n\n---\n\nThis run was started by an inbound webhook\.\n/ },
    { type: "Manual", text: /^Fix it\.$/ },
    { type: "Schedule", text: /^Fix it\.$/ },
  ] as const)("is asked what trigger $type asks", ({ type, text }) => {
    const run = aRun({ type, payload: type === "Webhook" ? "{}" : undefined });
    expect(makeFirstPrompt(run, anAutomation(), aSession("run-0")).spec.text).toMatch(text);
  });

  it("tells the time of the delivery, not of the prompt", () => {
    const run = aRun({ time: "2026-05-04T11:15:00+02:00" });
    expect(makeFirstPrompt(run, anAutomation(), aSession("run-0")).spec.text).toContain(
      "Received: 2026-05-04T09:15:00.000Z",
    );
  });
});
