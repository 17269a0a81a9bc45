import fc from "fast-check";
import { expect, it } from "vitest";
import { aRun, aSecret, aSession, anAutomation } from "../../../test/support/builders.ts";
import type { Automation, Run, Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import type { Secret } from "../../kube/core-resources.ts";
import { decideAutomation } from "./decide.ts";
import type { AutomationEffect } from "./effects.ts";
import type { AutomationFacts, SourceKey } from "./facts.ts";
import { canBeEmptied } from "./history/history.ts";
import { makeKeyCopy } from "./resources.ts";
import { dueRunKey, scheduleAt } from "./slots/schedule.ts";

/** Objects as the API server would hold them. */
interface World {
  automation: Automation;
  /** By name. */
  runs: Record<string, Run>;
  /** One for each Run that has a payload, by name of the Run. */
  sessions: Record<string, Session>;
  /** UIDs of Runs whose family is at work. */
  busy: ReadonlySet<string>;
  keySecret: Secret | undefined;
  source: SourceKey | undefined;
}

/** One effect of a pass that fails: before it was performed, or after, when its answer is lost. */
interface Failure {
  index: number;
  isPerformed: boolean;
}

const now = new Date("2026-05-04T10:20:00.000Z");
const ago = (seconds: number): string => new Date(now.getTime() - seconds * 1_000).toISOString();

function observe({ automation, runs, sessions, busy, keySecret, source }: World): AutomationFacts {
  const schedule = scheduleAt(automation, now);
  const own = Object.values(runs);
  return {
    automation,
    runs: own,
    sessions: new Map(
      own.filter(canBeEmptied).map(({ metadata: { name = "", uid = "" } }) => {
        return [uid, sessions[name] ? [sessions[name]] : []];
      }),
    ),
    unstored: new Set(),
    busy,
    schedule,
    slotRun: runs[dueRunKey(automation, schedule)?.name ?? ""],
    keySecret,
    source,
    secretsRefusal: undefined,
    integration: undefined,
    activityMayWaitMs: 0,
  };
}

function performed(world: World, effect: AutomationEffect): World {
  const { automation, runs, sessions } = world;
  switch (effect.kind) {
    case "createRun": {
      const { name = "" } = effect.run.metadata;
      expect(runs, "a Run is created once").not.toHaveProperty(name);
      const run = { ...effect.run, metadata: { ...effect.run.metadata, uid: name, creationTimestamp: ago(0) } };
      return { ...world, runs: { ...runs, [name]: run } };
    }
    case "createKey":
    case "replaceKey":
      return { ...world, keySecret: effect.secret };
    case "deleteKey":
      return { ...world, keySecret: undefined };
    case "writeStatus":
      return { ...world, automation: { ...automation, status: effect.status } };
    case "deleteRun":
      return { ...world, runs: without(runs, effect.run), sessions: without(sessions, effect.run) };
    case "deleteSession":
      return { ...world, sessions: without(sessions, effect.session) };
    case "emptyRun": {
      const { type, time } = effect.run.spec.trigger;
      const run = { ...effect.run, spec: { ...effect.run.spec, trigger: { type, time } } };
      return { ...world, runs: { ...runs, [run.metadata.name ?? ""]: run } };
    }
  }
}

function without<T>(objects: Record<string, T>, { metadata }: Pick<Run, "metadata">): Record<string, T> {
  return Object.fromEntries(Object.entries(objects).filter(([name]) => name !== metadata.name));
}

/** The world once no pass changes it any more; each of the failures ends one of the first passes. */
function settled(before: World, failures: readonly Failure[]): World {
  let world = before;
  for (let pass = 0; pass < 50; pass += 1) {
    const failure = failures[pass];
    const { effects } = decideAutomation(observe(world), now, { keysNamespace: "keys" });
    if (effects.length === 0) return world;
    const end = failure ? failure.index + (failure.isPerformed ? 1 : 0) : effects.length;
    world = effects.slice(0, end).reduce(performed, world);
  }
  throw new Error("the automation never settles");
}

interface RunStory {
  createdAgo: number;
  state: "active" | "completed" | "failed";
  isKeyed: boolean;
  isEmptied: boolean;
  isBusy: boolean;
}

interface Story {
  type: "Schedule" | "Webhook" | "Manual";
  suspend: boolean;
  isSlotDue: boolean;
  runs: RunStory[];
  keySecret: "none" | "issued" | "copy";
  source: "none" | "missing" | "invalid" | "found";
}

const hash = "0123456789abcdef".repeat(4);
const history = {
  successfulLimit: 1,
  failedLimit: 1,
  skippedLimit: 1,
  ttlSeconds: 600,
  idempotencySeconds: 3_600,
  idempotencyKeys: 2,
};
const sources: Record<Story["source"], SourceKey | undefined> = {
  none: undefined,
  missing: { state: "missing" },
  invalid: { state: "invalid", message: "m" },
  found: { state: "found", dataKey: "sha256", value: hash },
};

function begin({ type, suspend, isSlotDue, runs, keySecret, source }: Story): World {
  const isWebhook = type === "Webhook";
  const schedule = type === "Schedule" ? { schedule: { cron: "0 * * * *", timeZone: "UTC" } } : {};
  const automation = anAutomation({
    metadata: { name: "nightly", namespace: "demo", uid: "automation-uid", generation: 1 },
    spec: { suspend, trigger: { type, ...schedule }, targets: [], session: {}, history },
    // One slot is due at most: those missed after a slot that was fired without a trace are fired, too.
    status: { nextScheduleTime: isSlotDue ? "2026-05-04T10:00:00Z" : undefined },
  });
  const secrets = {
    none: undefined,
    issued: aSecret({ sha256: hash }, { name: "key" }),
    copy: makeKeyCopy(automation, { state: "found", dataKey: "sha256", value: hash }, "keys"),
  };
  const stored = runs.map((story, index) => runOf(`run-${index}`, story));
  return {
    automation,
    runs: Object.fromEntries(stored.map((run) => [run.metadata.name ?? "", run])),
    sessions: Object.fromEntries(
      stored
        .filter(({ spec }) => spec.trigger.payload !== undefined)
        .map(({ metadata: { name = "" } }) => [name, aSession({ metadata: { name } })]),
    ),
    busy: new Set(
      stored.filter((_, index) => runs[index]!.isBusy && !runs[index]!.isEmptied).map(({ metadata }) => metadata.uid!),
    ),
    keySecret: isWebhook ? secrets[keySecret] : undefined,
    source: isWebhook ? sources[source] : undefined,
  };
}

function runOf(start: string, { createdAgo, state, isKeyed, isEmptied }: RunStory): Run {
  const name = isKeyed ? `${start}-${"a".repeat(26)}` : start;
  const status = { active: "Unknown", completed: "True", failed: "False" } as const;
  const condition = { type: "Succeeded", status: status[state], reason: state, message: "" };
  return aRun({
    metadata: { name, uid: name, creationTimestamp: ago(createdAgo) },
    spec: {
      automationRef: { name: "nightly", uid: "automation-uid" },
      trigger: { type: "Webhook", time: ago(createdAgo), ...(isEmptied ? {} : { payload: "" }) },
    },
    status: {
      conditions: [{ ...condition, lastTransitionTime: ago(createdAgo) }],
      completionTime: state === "active" ? undefined : ago(createdAgo),
    },
  });
}

const stories: fc.Arbitrary<Story> = fc.record({
  type: fc.constantFrom("Schedule", "Webhook", "Manual"),
  suspend: fc.constantFrom(false, false, false, true),
  isSlotDue: fc.boolean(),
  runs: fc.array(
    fc.record({
      createdAgo: fc.constantFrom(1, 599, 600, 3_599, 3_600, 9_000),
      state: fc.constantFrom("active", "completed", "failed"),
      isKeyed: fc.boolean(),
      isEmptied: fc.boolean(),
      isBusy: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  keySecret: fc.constantFrom("none", "issued", "copy"),
  source: fc.constantFrom("none", "missing", "invalid", "found"),
});
const failures = fc.array(fc.record({ index: fc.nat(12), isPerformed: fc.boolean() }), { maxLength: 8 });

it("ends the same whichever of its effects fail", () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(stories, failures, (story, failing) => {
      const world = begin(story);
      for (const { kind } of decideAutomation(observe(world), now, { keysNamespace: "keys" }).effects) kinds.add(kind);
      const want = settled(world, []);
      expect(settled(world, failing)).toEqual(want);
      expect(findCondition(want.automation.status?.conditions, "Ready")).toBeDefined();
      for (const uid of world.busy) {
        expect([want.runs[uid], want.sessions[uid]]).toEqual([world.runs[uid], world.sessions[uid]]);
      }
    }),
    { numRuns: 300 },
  );
  const every = ["createRun", "createKey", "deleteKey", "writeStatus", "deleteRun", "deleteSession", "emptyRun"];
  expect([...kinds]).toEqual(expect.arrayContaining(every));
});
