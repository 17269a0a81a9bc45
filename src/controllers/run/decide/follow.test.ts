import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCondition } from "../../../domain/conditions.ts";
import type { Child } from "../facts.ts";
import {
  aChild,
  anAutomation,
  aSandbox,
  aSession,
  atMs,
  cancelled,
  completed,
  created,
  failed,
  followFacts,
  kinds,
  now,
  only,
  type PromptVerdict,
  queued,
  verdictOf,
} from "../fake-facts.ts";
import { decideAfter } from "./after.ts";
import { decideFollow, decideGiveUp } from "./follow.ts";

describe("a Run that is under way", () => {
  it("waits for its sessions until its sweep", () => {
    const decision = decideFollow(followFacts([aChild("run-0")]), now);
    expect(kinds(decision)).toEqual(["writeRun"]);
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    // A longer timer would not notice that the machine's clock is set.
    expect(decision.requeueMs).toBe(60_000);
  });

  it.each([
    { budget: "45 min", executionBudgetMs: 2_700_000 },
    { budget: "2 h", executionBudgetMs: 7_200_000 },
  ])("is swept at its budget of $budget and 100 min, and not the millisecond before", ({ executionBudgetMs }) => {
    const { run, ...facts } = followFacts([aChild("run-0")]);
    const swept = { ...run, status: { ...run.status, startTime: created, executionBudgetMs } };
    const sweepMs = Date.parse(created) + executionBudgetMs + 100 * 60_000;
    const verdicts = [-1, 0, 1].map((ms) => {
      return verdictOf(decideFollow({ ...facts, run: swept }, new Date(sweepMs + ms)))[1];
    });
    expect(verdicts).toEqual(["Running", "ExecutionTimeout", "ExecutionTimeout"]);
  });

  it("completes, and needs no write of its automation when there are no strikes", () => {
    const decision = decideFollow(followFacts([aChild("run-0", completed)]), now);
    expect(kinds(decision)).toEqual(["writeRun"]);
    expect(verdictOf(decision)).toEqual(["True", "Completed", undefined]);
  });

  it.each([
    { reason: "ImagePullFailed", sessions: 1, want: "the sandbox of Session run-0 does not start: not found" },
    {
      reason: "ContainerNotStarted",
      sessions: 2,
      want: "Working in 2 sessions; the sandbox of Session run-0 does not start: not found",
    },
    { reason: "Unschedulable", sessions: 1, want: "the sandbox of Session run-0 does not start: not found" },
    { reason: "Booting", sessions: 1, want: "Working in 1 session" },
  ])("says of $sessions sessions why one is $reason", ({ reason, sessions, want }) => {
    const mark = { status: "False" as const, reason, message: "not found", lastTransitionTime: created };
    const held = { ...aChild("run-0"), session: aSession("run-0", { conditions: [{ type: "Ready", ...mark }] }) };
    const children = [held, aChild("run-1")].slice(0, sessions);
    const { status } = only(decideFollow(followFacts(children), now), "writeRun");
    expect(findCondition(status.conditions, "Succeeded")).toMatchObject({ reason: "Running", message: want });
  });

  it("says which hooks its sessions went on without, while it goes on and once it has ended", () => {
    const warning = (message: string, ...rest: [PromptVerdict?]): Child => {
      const child = aChild("run-0", ...rest);
      const condition = { type: "HooksPassedOver", status: "True" as const, reason: "SetupFailed", message };
      const conditions = [{ ...condition, lastTransitionTime: created }];
      return { ...child, session: { ...aSession("run-0"), status: { conditions } } };
    };
    const warned = (children: Child[]): unknown => {
      const { status } = only(decideFollow(followFacts(children), now), "writeRun");
      const found = findCondition(status.conditions, "HooksPassedOver");
      return found && [found.status, found.reason, found.message];
    };
    expect(warned([aChild("run-0")])).toBeUndefined();
    expect(warned([warning("it failed")])).toEqual(["True", "SetupFailed", "it failed"]);
    expect(warned([warning("it failed", completed)])).toEqual(["True", "SetupFailed", "it failed"]);
    expect(warned([aChild("run-1"), warning("it failed")])).toEqual([
      "True",
      "SetupFailed",
      "Session run-0: it failed",
    ]);
  });

  it("clears strikes before its verdict", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const decision = decideFollow(followFacts([aChild("run-0", completed)], { automation }), now);
    expect(kinds(decision)).toEqual(["writeAutomation", "writeRun"]);
    expect(only(decision, "writeAutomation").status).toMatchObject({
      consecutiveFailures: 0,
      strikes: ["run-uid"],
      activeRuns: 0,
      lastRun: { name: "run", reason: "Completed" },
    });
  });

  it("leaves a Run counted that the cache does not have yet", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 1, strikes: ["unseen"] } });
    const decision = decideFollow(followFacts([aChild("run-0", failed)], { automation }), now);
    expect(only(decision, "writeAutomation").status.strikes).toEqual(["unseen", "run-uid"]);
  });

  it("is a strike before its verdict, and none when that was written already", () => {
    const facts = followFacts([aChild("run-0", failed)]);
    const decision = decideFollow(facts, now);
    expect(kinds(decision)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["False", "BootTimeout", "BootTimeout"]);
    const { status } = only(decision, "writeAutomation");
    expect(status).toMatchObject({ consecutiveFailures: 1, strikes: ["run-uid"], activeRuns: 0 });
    expect(kinds(decideFollow({ ...facts, automation: anAutomation({}, { status }) }, now))).toEqual(["writeRun"]);
  });

  it("is a strike when its first session fails and no second one when it ends", () => {
    const facts = followFacts([aChild("run-0", failed), aChild("run-1")]);
    const early = decideFollow(facts, now);
    expect(kinds(early)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(early)).toEqual(["Unknown", "Running", undefined]);
    const automation = anAutomation({}, { status: only(early, "writeAutomation").status });
    const late = decideFollow(
      { ...facts, automation, children: [aChild("run-0", failed), aChild("run-1", completed)] },
      now,
    );
    expect(kinds(late)).toEqual(["writeRun"]);
    expect(verdictOf(late)).toEqual(["False", "PartiallyFailed", "PartiallyFailed"]);
  });

  it("pauses its automation with the third strike and says so once", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const decision = decideFollow(followFacts([aChild("run-0", failed)], { automation }), now);
    const { status, events } = only(decision, "writeAutomation");
    expect(findCondition(status.conditions, "Paused")).toMatchObject({ status: "True", reason: "TooManyFailures" });
    expect(events).toMatchObject([{ on: "Automation", reason: "TooManyFailures" }]);
  });

  it("lets go of the automation that it holds with its verdict's count", () => {
    const automation = anAutomation({}, { status: { active: { name: "run", uid: "run-uid" } } });
    const decision = decideFollow(followFacts([aChild("run-0", completed)], { automation }), now);
    expect(kinds(decision)).toEqual(["writeAutomation", "writeRun"]);
    expect(only(decision, "writeAutomation").status.active).toBeUndefined();
  });

  it.each([{ children: [cancelled] }, { children: [cancelled, completed] }])(
    "neither adds a strike nor clears any when a person cancelled it: $children.length sessions",
    ({ children }) => {
      const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
      const facts = followFacts(
        children.map((verdict, index) => aChild(`run-${index}`, verdict)),
        { automation },
      );
      expect(kinds(decideFollow(facts, now))).toEqual(["writeRun"]);
    },
  );

  it("lets go of the automation that it holds when a person cancelled it, and leaves the strikes", () => {
    const status = { consecutiveFailures: 2, active: { name: "run", uid: "run-uid" } };
    const automation = anAutomation({}, { status });
    const decision = decideFollow(followFacts([aChild("run-0", cancelled)], { automation }), now);
    const written = only(decision, "writeAutomation").status;
    expect([written.active, written.consecutiveFailures]).toEqual([undefined, 2]);
  });

  it.each([
    { name: "never made", session: aSession("run-0"), want: ["createPrompt", "writeRun"] },
    { name: "deleted", session: aSession("run-0", { promptsEnded: 1 }), want: ["writeRun"] },
  ])("takes a missing prompt for $name by what its session did", ({ session, want }) => {
    const decision = decideFollow(followFacts([{ name: "run-0", session, prompt: undefined }]), now);
    expect(kinds(decision)).toEqual(want);
  });

  it.each([
    { name: "is gone", session: undefined },
    { name: "is being deleted", session: { ...aSession("run-0"), metadata: { deletionTimestamp: created } } },
  ])("is cancelled when its session $name", ({ session }) => {
    const decision = decideFollow(followFacts([{ name: "run-0", session, prompt: undefined }]), now);
    expect(verdictOf(decision)).toEqual(["False", "Cancelled", "Cancelled"]);
  });

  it.each([
    { atMs: 6_059_999, want: ["writeRun"] },
    { atMs: 6_060_000, want: ["settlePrompt", "writeAutomation", "writeRun"] },
  ])("is swept at its deadline and not before: $atMs", ({ atMs, want }) => {
    const decision = decideFollow(followFacts([aChild("run-0")]), new Date(now.getTime() + atMs));
    expect(kinds(decision)).toEqual(want);
    if (want.length === 1) return;
    expect(verdictOf(decision)).toEqual(["False", "ExecutionTimeout", "ExecutionTimeout"]);
    expect(findCondition(only(decision, "settlePrompt").status.conditions, "Succeeded")).toMatchObject({
      status: "False",
    });
  });

  it("has the same reason where a sweep was cut short after it had settled the prompts", () => {
    const at = new Date(now.getTime() + 6_060_000);
    const children = [aChild("run-0", failed), aChild("run-1"), aChild("run-2")];
    const whole = decideFollow(followFacts(children), at);
    const statuses = whole.effects.flatMap((effect) => (effect.kind === "settlePrompt" ? [effect.status] : []));
    const [ended, ...swept] = children;
    const settled = swept.map((child, index) => ({ ...child, prompt: { ...child.prompt!, status: statuses[index]! } }));
    const rest = decideFollow(followFacts([ended!, ...settled]), at);
    expect([verdictOf(whole), verdictOf(rest)]).toEqual(
      Array.from({ length: 2 }, () => ["False", "ExecutionTimeout", "ExecutionTimeout"]),
    );
  });

  it("keeps the verdict of its sessions when the sweep comes late", () => {
    const decision = decideFollow(followFacts([aChild("run-0", completed)]), new Date(now.getTime() + 99_000_000));
    expect(verdictOf(decision)).toEqual(["True", "Completed", undefined]);
  });

  it("ends when a session without a first prompt runs as another ServiceAccount than its automation's", () => {
    const session = { ...aSession("run-0"), spec: { ...aSession("run-0").spec, serviceAccountName: "other" } };
    const decision = decideFollow(followFacts([{ name: "run-0", session, prompt: undefined }, aChild("run-1")]), now);
    expect(kinds(decision)).toEqual(["settlePrompt", "writeAutomation", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["False", "SessionChanged", "SessionChanged"]);
  });

  it("is deleted when its automation is gone", () => {
    const decision = decideFollow(followFacts([aChild("run-0")], { automation: undefined }), now);
    expect(kinds(decision)).toEqual(["deleteRun"]);
  });
});

describe("a Run that was started for an earlier generation of its automation", () => {
  const changed = anAutomation({}, { metadata: { name: "triage", uid: "automation-uid", generation: 4 } });
  const unprompted = { name: "run-0", session: aSession("run-0"), prompt: undefined };

  it("goes on when it has its first prompt", () => {
    expect(kinds(decideFollow(followFacts([aChild("run-0")], { automation: changed }), now))).toEqual(["writeRun"]);
  });

  it("ends when its first prompt was never made, which would have to be another one now", () => {
    const decision = decideFollow(followFacts([unprompted], { automation: changed }), now);
    expect(kinds(decision)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["False", "AutomationChanged", "AutomationChanged"]);
  });

  it("follows those of its sessions that have theirs to their end", () => {
    const facts = followFacts([unprompted, aChild("run-1")], { automation: changed });
    const decision = decideFollow(facts, now);
    expect(kinds(decision)).toEqual(["writeAutomation", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    const late = decideFollow({ ...facts, children: [unprompted, aChild("run-1", completed)] }, now);
    expect(verdictOf(late)).toEqual(["False", "PartiallyFailed", "PartiallyFailed"]);
  });
});

describe("a Run of several sessions", () => {
  const reported: PromptVerdict = { status: "False", reason: "Failed" };
  const atSweep = new Date(now.getTime() + 6_060_000);
  const going = undefined;
  const result = (index: number): { branch: string } => ({ branch: `branch-${index}` });

  it.each([
    { verdicts: [completed, completed], want: ["True", "Completed"], strikes: 0 },
    { verdicts: [completed, failed], want: ["False", "PartiallyFailed"], strikes: 1 },
    { verdicts: [failed, completed, completed], want: ["False", "PartiallyFailed"], strikes: 1 },
    { verdicts: [failed, failed], want: ["False", "BootTimeout"], strikes: 1 },
    { verdicts: [failed, reported], want: ["False", "Failed"], strikes: 1 },
    { verdicts: Array.from({ length: 10 }, () => completed), want: ["True", "Completed"], strikes: 0 },
    { verdicts: Array.from({ length: 10 }, () => failed), want: ["False", "BootTimeout"], strikes: 1 },
    { verdicts: [going, going], want: ["Unknown", "Running"], strikes: 0 },
    { verdicts: [completed, going], want: ["Unknown", "Running"], strikes: 0 },
    { verdicts: [failed, going], want: ["Unknown", "Running"], strikes: 1 },
    { verdicts: [failed, failed, going], want: ["Unknown", "Running"], strikes: 1 },
    { verdicts: [going, going], at: atSweep, want: ["False", "ExecutionTimeout"], strikes: 1 },
    { verdicts: [failed, going], at: atSweep, want: ["False", "ExecutionTimeout"], strikes: 1 },
    { verdicts: [completed, going], at: atSweep, want: ["False", "PartiallyFailed"], strikes: 1 },
    { verdicts: [completed, completed], at: atSweep, want: ["True", "Completed"], strikes: 0 },
  ])("of $verdicts.length is $want, $strikes strike", ({ verdicts, at = now, want, strikes }) => {
    const children = verdicts.map((verdict, index) => aChild(`run-${index}`, verdict, verdict && result(index)));
    const decision = decideFollow(followFacts(children), at);
    expect(verdictOf(decision).slice(0, 2)).toEqual(want);
    const counted = decision.effects.filter((effect) => effect.kind === "writeAutomation");
    expect(counted.map(({ status }) => status.consecutiveFailures)).toEqual(strikes === 0 ? [] : [1]);
    expect(only(decision, "writeRun").status.sessions).toEqual(
      verdicts.map((verdict, index) => ({
        name: `run-${index}`,
        ...(verdict ? { reason: verdict.reason, result: result(index) } : {}),
        ...(!verdict && at === atSweep ? { reason: "ExecutionTimeout" } : {}),
      })),
    );
  });

  it("that is given up lets none of them go on", () => {
    const facts = followFacts([aChild("run-0", completed), aChild("run-1"), aChild("run-2")]);
    const verdict = { succeeded: false, reason: "NameTaken", message: "" };
    const decision = decideGiveUp(facts, verdict, now);
    expect(kinds(decision)).toEqual(["settlePrompt", "settlePrompt", "writeAutomation", "writeRun"]);
    const [first] = decision.effects.filter((effect) => effect.kind === "settlePrompt");
    expect(first?.prompt.metadata.name).toBe("run-1-1");
    expect(findCondition(first?.status.conditions, "Succeeded")).toMatchObject({
      status: "False",
      reason: "NameTaken",
    });
    expect(verdictOf(decision)).toEqual(["False", "NameTaken", "NameTaken"]);
  });
});

/** A session that waits for a place since {@link now}, in a class with this `maxPendingSeconds`. */
function aQueuedChild(name: string, seconds?: number): Child {
  const child = aChild(name);
  const pendingLimit = seconds === undefined ? undefined : { className: "busy", seconds };
  return { ...child, session: aSession(name, queued(0)), pendingLimit };
}

const sweepMs = 6_060_000;

function at(ms: number): Date {
  return new Date(now.getTime() + ms);
}

describe("a Run whose session waits for a place", () => {
  it("is not swept, and says that nothing ends it", () => {
    const facts = followFacts([aQueuedChild("run-0")]);
    const decision = decideFollow(facts, at(99 * sweepMs));
    expect(kinds(decision)).toEqual(["writeRun"]);
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    const { status } = only(decision, "writeRun");
    expect(status.nextDeadline).toBeUndefined();
    expect(findCondition(status.conditions, "Succeeded")?.message).toBe(
      "Session run-0 waits for a place: no place left",
    );
    expect(decision.requeueMs).toBe(60_000);
  });

  it("shows the limit of its class, and is skipped at its instant without a strike", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const facts = followFacts([aQueuedChild("run-0", 600)], { automation });
    const before = decideFollow(facts, at(599_999));
    expect(only(before, "writeRun").status.nextDeadline).toEqual({
      time: atMs(600_000),
      reason: "StartDeadlineExceeded",
    });
    expect(before.requeueMs).toBe(1);

    const decision = decideFollow(facts, at(600_000));
    expect(kinds(decision)).toEqual(["settlePrompt", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["False", "Skipped", "StartDeadlineExceeded"]);
    const { status, events } = only(decision, "writeRun");
    expect([status.startTime, status.took, status.nextDeadline]).toEqual([undefined, undefined, undefined]);
    expect(status.sessions).toEqual([{ name: "run-0", reason: "StartDeadlineExceeded" }]);
    const why = "it was Queued for maxPendingSeconds 600 of SandboxClass busy: no place left";
    expect(findCondition(status.conditions, "Succeeded")?.message).toBe(`StartDeadlineExceeded: ${why}`);
    expect(events).toMatchObject([{ on: "Run", type: "Warning", reason: "StartDeadlineExceeded" }]);
    const settled = only(decision, "settlePrompt").status.conditions;
    expect(findCondition(settled, "Succeeded")).toMatchObject({ reason: "StartDeadlineExceeded", message: why });
  });

  it("is skipped with the same words where that was cut short after its prompt was settled", () => {
    const child = aQueuedChild("run-0", 600);
    const whole = decideFollow(followFacts([child]), at(600_000));
    const settled = { ...child, prompt: { ...child.prompt!, status: only(whole, "settlePrompt").status } };
    const rest = decideFollow(followFacts([settled]), at(600_000));
    expect(only(rest, "writeRun").status).toEqual(only(whole, "writeRun").status);
  });

  it("lets go of the automation that it holds", () => {
    const automation = anAutomation(
      {},
      { status: { active: { name: "run", uid: "run-uid" }, consecutiveFailures: 2 } },
    );
    const decision = decideFollow(followFacts([aQueuedChild("run-0", 600)], { automation }), at(600_000));
    expect(kinds(decision)).toEqual(["settlePrompt", "writeAutomation", "writeRun"]);
    const written = only(decision, "writeAutomation").status;
    expect([written.active, written.consecutiveFailures]).toEqual([undefined, 2]);
  });

  it("gives its idempotency key back at once, or when the archive has its sessions and these have no other prompts", () => {
    const { run, ...facts } = followFacts([aQueuedChild("run-0", 600)]);
    const keyed = { ...run, spec: { ...run.spec, trigger: { ...run.spec.trigger, idempotencyKey: "k" } } };
    const decision = decideFollow({ ...facts, run: keyed }, at(600_000));
    expect(decision.requeueMs).toBe(0);
    const skipped = { ...keyed, status: only(decision, "writeRun").status };
    const after = { run: skipped, isAutomationGone: false, prompts: [] };
    expect(kinds(decideAfter({ ...after, isStored: true }, now))).toEqual(["copySkipped", "deleteRun"]);
    const wait = { effects: [], requeueMs: 10_000 };
    expect(decideAfter({ ...after, isStored: false }, now)).toEqual(wait);
    expect(decideAfter({ ...after, isStored: true, isBusy: true }, now)).toEqual(wait);
  });

  it("has its whole budget from its pod on, and says so", () => {
    const child = aChild("run-0");
    const facts = followFacts([{ ...child, session: aSession("run-0", { sandbox: aSandbox(90_000_000) }) }]);
    const until = 90_000_000 + sweepMs;
    expect(only(decideFollow(facts, at(until - 1)), "writeRun").status.nextDeadline).toEqual({
      time: atMs(until),
      reason: "ExecutionTimeout",
    });
    expect(verdictOf(decideFollow(facts, at(until)))).toEqual(["False", "ExecutionTimeout", "ExecutionTimeout"]);
  });
});

describe("a Run of which one session waits for a place", () => {
  it("shows what ends the first of its sessions", () => {
    const facts = followFacts([aChild("run-0"), aQueuedChild("run-1", 600), aQueuedChild("run-2")]);
    const { status } = only(decideFollow(facts, now), "writeRun");
    expect(status.nextDeadline).toEqual({ time: atMs(600_000), reason: "StartDeadlineExceeded" });
    expect(findCondition(status.conditions, "Succeeded")?.message).toBe(
      "Working in 3 sessions; 2 sessions wait for a place: no place left",
    );
  });

  it("goes on when another one is swept, which is its strike", () => {
    const facts = followFacts([aChild("run-0"), aQueuedChild("run-1")]);
    const decision = decideFollow(facts, at(sweepMs));
    expect(kinds(decision)).toEqual(["settlePrompt", "writeAutomation", "writeRun"]);
    expect(only(decision, "settlePrompt").prompt.metadata.name).toBe("run-0-1");
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    const { status } = only(decision, "writeRun");
    expect(status.sessions).toEqual([{ name: "run-0", reason: "ExecutionTimeout" }, { name: "run-1" }]);
    expect(status.nextDeadline).toBeUndefined();
  });

  it("goes on without a strike when that one has waited for too long", () => {
    const decision = decideFollow(followFacts([aChild("run-0"), aQueuedChild("run-1", 600)]), at(600_000));
    expect(kinds(decision)).toEqual(["settlePrompt", "writeRun"]);
    expect(verdictOf(decision)).toEqual(["Unknown", "Running", undefined]);
    expect(only(decision, "writeRun").status.nextDeadline).toEqual({ time: atMs(sweepMs), reason: "ExecutionTimeout" });
  });

  it("makes a missing first prompt before its session can be swept", () => {
    const unprompted = { name: "run-0", session: aSession("run-0"), prompt: undefined };
    const decision = decideFollow(followFacts([unprompted, aQueuedChild("run-1")]), at(sweepMs));
    expect(kinds(decision)).toEqual(["createPrompt", "writeRun"]);
    expect(only(decision, "writeRun").status.sessions).toEqual([{ name: "run-0" }, { name: "run-1" }]);
  });

  const unplaced: PromptVerdict = { status: "False", reason: "StartDeadlineExceeded" };
  const timedOut: PromptVerdict = { status: "False", reason: "ExecutionTimeout" };

  it.each([
    { verdicts: [unplaced, unplaced], want: ["False", "Skipped", "StartDeadlineExceeded"], strikes: 0 },
    { verdicts: [completed, unplaced], want: ["False", "PartiallyFailed", "PartiallyFailed"], strikes: 0 },
    { verdicts: [cancelled, unplaced], want: ["False", "Cancelled", "Cancelled"], strikes: 0 },
    { verdicts: [failed, unplaced], want: ["False", "Failed", "Failed"], strikes: 1 },
    { verdicts: [timedOut, unplaced], want: ["False", "ExecutionTimeout", "ExecutionTimeout"], strikes: 1 },
    { verdicts: [completed, failed, unplaced], want: ["False", "PartiallyFailed", "PartiallyFailed"], strikes: 1 },
  ])("comes to $want with $strikes strikes", ({ verdicts, want, strikes }) => {
    const decision = decideFollow(followFacts(verdicts.map((verdict, index) => aChild(`run-${index}`, verdict))), now);
    expect(verdictOf(decision)).toEqual(want);
    expect(kinds(decision)).toEqual(strikes === 0 ? ["writeRun"] : ["writeAutomation", "writeRun"]);
  });

  it("keeps the strikes of its automation where it completed but for that one", () => {
    const automation = anAutomation({}, { status: { consecutiveFailures: 2 } });
    const decision = decideFollow(
      followFacts([aChild("run-0", completed), aChild("run-1", unplaced)], { automation }),
      now,
    );
    expect(kinds(decision)).toEqual(["writeRun"]);
  });
});

describe("whatever its sessions come to", () => {
  const verdicts = fc.constantFrom(undefined, completed, failed, { status: "False", reason: "Failed" } as const);
  const instants = fc.integer({ min: 0, max: 7_000_000 }).map((ms) => new Date(now.getTime() + ms));

  it("a Run goes on until all have ended or its sweep, and each outcome is counted once", () => {
    fc.assert(
      fc.property(fc.array(verdicts, { minLength: 1, maxLength: 10 }), instants, (wanted, at) => {
        const children = wanted.map((verdict, index) => aChild(`run-${index}`, verdict));
        const facts = followFacts(children);
        const decision = decideFollow(facts, at);
        const isOver = !wanted.includes(undefined) || at.getTime() >= now.getTime() + 6_060_000;
        const { status } = only(decision, "writeRun");
        expect(findCondition(status.conditions, "Succeeded")?.status === "Unknown").toBe(!isOver);
        expect(decision.requeueMs === undefined).toBe(isOver);
        expect(decision.requeueMs ?? 1).toBeGreaterThan(0);

        // The same facts after these writes ask for none of them again.
        const counted = decision.effects.find((effect) => effect.kind === "writeAutomation");
        const automation = counted ? { ...facts.automation!, status: counted.status } : facts.automation;
        const again = decideFollow({ ...facts, automation, run: { ...facts.run, status } }, at);
        expect(again.effects.filter(({ kind }) => kind === "writeAutomation")).toEqual([]);
        if (!isOver) expect(only(again, "writeRun").status).toEqual(status);
      }),
    );
  });
});
