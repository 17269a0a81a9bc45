import fc from "fast-check";
import { expect, it } from "vitest";
import type { Automation, Prompt, Run, Session } from "../../api/v1alpha1/index.ts";
import { isSettled, isStarted } from "../../domain/runs/run-state.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { decideRun } from "./decide.ts";
import type { RunEffect } from "./effects.ts";
import type { Child, PendingLimit, RunFacts } from "./facts.ts";
import { aChild, anAutomation, aRun, completed, failed, now, type PromptVerdict, queued } from "./fake-facts.ts";
import { makeFirstPrompt, makeSession } from "./resources.ts";
import { makeSkippedCopy } from "./skipped-copy.ts";

/** Objects as the API server would hold them. */
interface World {
  automation: Automation | undefined;
  run: Run | undefined;
  sessions: Record<string, Session>;
  prompts: Record<string, Prompt>;
  otherActive: string | undefined;
  /** How long sessions may wait for a place. */
  pendingLimit?: PendingLimit | undefined;
  /** Of the Run, which was skipped. */
  copy?: Run;
}

/** One effect of a pass that fails: before it was performed, or after, when its answer is lost. */
interface Failure {
  index: number;
  isPerformed: boolean;
}

const operator = { settings: {}, executionTimeoutMs: 60_000 };

function observe(world: World): RunFacts | undefined {
  const { run, automation, sessions, prompts, otherActive, pendingLimit } = world;
  if (!run) return undefined;
  const names = run.status?.sessions?.map(({ name }) => name) ?? [];
  const children: Child[] = names.map((name) => {
    return { name, session: sessions[name], prompt: prompts[firstPromptName(name)], pendingLimit };
  });
  const runs = [run];
  if (isSettled(run)) {
    const left = children.flatMap(({ prompt }) => prompt ?? []);
    return { phase: "after", run, isAutomationGone: automation === undefined, isStored: true, prompts: left };
  }
  if (isStarted(run)) return { phase: "follow", run, automation, runs, children };
  const leftSessions = Object.values(sessions);
  return {
    phase: "start",
    run,
    automation,
    runs,
    otherActive,
    leftSessions,
    targetSettings: [],
    pendingLimit: undefined,
  };
}

function performed(world: World, effect: RunEffect): World {
  const { run, automation, sessions, prompts } = world;
  if (!run) throw new Error(`${effect.kind} of a Run that is gone`);
  switch (effect.kind) {
    case "labelRun": {
      const labels = { ...run.metadata.labels, "runwright.dev/automation-uid": effect.automationUid };
      return { ...world, run: { ...run, metadata: { ...run.metadata, labels } } };
    }
    case "writeAutomation":
      return { ...world, automation: automation && { ...automation, status: effect.status } };
    case "createSession": {
      const { name = "" } = effect.session.metadata;
      return { ...world, sessions: { [name]: stored(effect.session), ...sessions } };
    }
    case "writeRun":
      return { ...world, run: { ...run, status: effect.status } };
    case "createPrompt": {
      const session = sessions[effect.session.metadata.name ?? ""]!;
      const prompt = makeFirstPrompt(run, effect.automation, session);
      return { ...world, prompts: { [prompt.metadata.name ?? ""]: prompt, ...prompts } };
    }
    case "settlePrompt": {
      const settled = { ...effect.prompt, status: effect.status };
      return { ...world, prompts: { ...prompts, [settled.metadata.name ?? ""]: settled } };
    }
    case "deleteSession": {
      const { name } = effect.session.metadata;
      return { ...world, sessions: Object.fromEntries(Object.entries(sessions).filter(([other]) => other !== name)) };
    }
    case "copySkipped":
      return { ...world, copy: makeSkippedCopy(run) };
    case "deleteRun":
      return { ...world, run: undefined, sessions: {}, prompts: {} };
  }
}

function stored(session: Session): Session {
  return { ...session, metadata: { ...session.metadata, uid: `${session.metadata.name ?? ""}-uid` } };
}

/** The world once no pass changes it any more; each of the failures ends one of the first passes. */
function settled(before: World, at: Date, failures: Failure[]): World {
  let world = before;
  for (let pass = 0; pass < 50; pass += 1) {
    const facts = observe(world);
    if (!facts) return world;
    const failure = failures.shift();
    const { effects } = decideRun(facts, at, operator);
    const end = failure ? failure.index + (failure.isPerformed ? 1 : 0) : effects.length;
    const after = effects.slice(0, end).reduce(performed, world);
    if (!failure && JSON.stringify(after) === JSON.stringify(world)) return world;
    world = after;
  }
  throw new Error("the Run never settles");
}

interface Story {
  type: Run["spec"]["trigger"]["type"];
  isLabelled: boolean;
  isKeyed: boolean;
  isSuspended: boolean;
  isAutomationGone: boolean;
  otherActive: string | undefined;
  strikes: number;
  /** Display name of the automation for which an earlier attempt made the session of each target. */
  left: (string | undefined)[];
  verdicts: (PromptVerdict | undefined)[];
  /** Whether the session of each target waits for a place; then it has no verdict. */
  waits: boolean[];
  pendingLimit: PendingLimit | undefined;
  isSwept: boolean;
}

function begin({ type, isLabelled, isKeyed, isSuspended, otherActive, strikes, left, verdicts }: Story): World {
  const targets = verdicts.map((_, index) => ({ repositoryRef: { name: `r${index}` } }));
  const daily = { type: "Schedule" as const, schedule: { cron: "0 9 * * *", timeZone: "UTC" } };
  const trigger = type === "Schedule" ? daily : { type };
  const automation = anAutomation(
    { trigger, suspend: isSuspended, targets },
    { status: { consecutiveFailures: strikes } },
  );
  const payload = type === "Webhook" ? "{}" : undefined;
  const idempotencyKey = type === "Webhook" && isKeyed ? "k" : undefined;
  const run = aRun({ type, payload, idempotencyKey }, isLabelled ? {} : { labels: {} });
  const sessions = left.slice(0, verdicts.length).flatMap((displayName, index) => {
    if (displayName === undefined) return [];
    const made = makeSession(run, { ...automation, spec: { ...automation.spec, displayName } }, index);
    return [[made.metadata.name ?? "", stored(made)] as const];
  });
  return { automation, run, sessions: Object.fromEntries(sessions), prompts: {}, otherActive };
}

/** The world with what the sessions' prompts came to. */
function worked(world: World, { verdicts, waits, pendingLimit, isAutomationGone }: Story): World {
  const names = world.run?.status?.sessions?.map(({ name }) => name) ?? [];
  const prompts = names.map((name, index) => {
    const { status } = aChild(name, waits[index] ? undefined : verdicts[index]).prompt!;
    return [firstPromptName(name), { ...world.prompts[firstPromptName(name)]!, status }] as const;
  });
  const waiting = names.filter((_, index) => waits[index]);
  const sessions = waiting.map((name) => [name, { ...world.sessions[name]!, status: queued(0) }] as const);
  return {
    ...world,
    automation: isAutomationGone ? undefined : world.automation,
    sessions: { ...world.sessions, ...Object.fromEntries(sessions) },
    prompts: { ...world.prompts, ...Object.fromEntries(prompts) },
    pendingLimit,
  };
}

function played(story: Story, failures: Failure[][]): World {
  const later = new Date(now.getTime() + (story.isSwept ? 99_000_000 : 1_000));
  const started = settled(begin(story), now, [...(failures[0] ?? [])]);
  return settled(worked(started, story), later, [...(failures[1] ?? [])]);
}

const rarely = fc.constantFrom(false, false, false, false, true);
const stories: fc.Arbitrary<Story> = fc.record({
  type: fc.constantFrom("Webhook", "Manual", "Schedule", "Schedule"),
  isLabelled: fc.boolean(),
  isKeyed: fc.boolean(),
  isSuspended: rarely,
  isAutomationGone: rarely,
  otherActive: fc.option(fc.constant("other"), { nil: undefined, freq: 4 }),
  strikes: fc.integer({ min: 0, max: 2 }),
  left: fc.array(fc.constantFrom(undefined, "triage", "earlier"), { maxLength: 3 }),
  /** One for each target. */
  verdicts: fc.array(fc.constantFrom(undefined, completed, failed), { minLength: 1, maxLength: 3 }),
  waits: fc.array(fc.boolean(), { maxLength: 3 }),
  pendingLimit: fc.constantFrom(undefined, { className: "busy", seconds: 600 }),
  isSwept: fc.boolean(),
});
const failures = fc.array(fc.record({ index: fc.nat(9), isPerformed: fc.boolean() }), { maxLength: 8 });

/** After a sweep that was cut short the messages are those of the prompts, which say the same in other words. */
function withoutMessages(world: World): unknown {
  return JSON.parse(JSON.stringify(world, (name, value: unknown) => (name === "message" ? "" : value)));
}

it("ends the same whichever of its effects fail", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(stories, fc.tuple(failures, failures), (story, failing) => {
      const want = played(story, []);
      expect(withoutMessages(played(story, failing))).toEqual(withoutMessages(want));
      if (want.copy) reached.add("copied");
      if (want.run?.status?.sessions?.some(({ reason }) => reason === "StartDeadlineExceeded")) reached.add("waited");
      reached.add(want.run ? (want.run.status?.conditions?.[0]?.reason ?? "") : "deleted");
    }),
    { numRuns: 1_000 },
  );
  const ends = [
    "deleted",
    "copied",
    "waited",
    "Skipped",
    "Running",
    "Completed",
    "PartiallyFailed",
    "BootTimeout",
    "ExecutionTimeout",
  ];
  expect([...reached]).toEqual(expect.arrayContaining(ends));
});
