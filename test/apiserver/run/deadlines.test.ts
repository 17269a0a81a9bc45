import { afterEach, beforeEach, expect, it } from "vitest";
import { type Automation, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { startedStatus } from "../../../src/controllers/run/lifecycle.ts";
import { makeFirstPrompt, makeSession } from "../../../src/controllers/run/resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { isThorough } from "../../support/thorough.ts";
import { conditionOf, type Operator, World } from "./world.ts";

const sizes = isThorough()
  ? { automations: 50, before: 200, away: 100, after: 4_700 }
  : { automations: 10, before: 20, away: 10, after: 70 };
const runCount = sizes.before + sizes.away + sizes.after;
const executionBudgetMs = 600_000;
const sweepMs = executionBudgetMs + 6_000_000;

/** Deadlines one millisecond apart: before the restart, while no controller runs, and after it. */
const groups = {
  before: { count: sizes.before, startsMs: 0 },
  away: { count: sizes.away, startsMs: 1_200_000 },
  after: { count: sizes.after, startsMs: 2_400_000 },
};
type Group = keyof typeof groups;

/** For what thousands of writes have to happen first. */
const patienceMs = 900_000;
const testMs = 2_000_000;

let world: World;
let startMs: number;

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  startMs = world.clock.now().getTime();
});
afterEach(() => world.close());

function deadlineOf(group: Group, index: number): number {
  return startMs + groups[group].startsMs + index + sweepMs;
}

/** A Run as the controller leaves it when it has started it, and its agent has said nothing yet. */
async function createWaitingRun(automation: Automation, name: string, deadlineMs: number): Promise<void> {
  const { client } = world;
  const startedAt = new Date(deadlineMs - sweepMs);
  const metadata = { name, labels: { "runwright.dev/automation-uid": automation.metadata.uid! } };
  const run = await world.createRun(automation, { type: "Manual", time: startedAt.toISOString() }, metadata);
  const session = await client.create(Session, makeSession(run, automation, 0));
  const sessions = [{ name: session.metadata.name! }];
  await client.create(Prompt, makeFirstPrompt(run, automation, session));
  const started = startedStatus(run, { sessions, executionBudgetMs, automationGeneration: 1 }, startedAt);
  await client.patchStatus(Run, run, started);
}

async function createWaitingRuns(): Promise<void> {
  const names = Array.from({ length: sizes.automations }, (_, at) => `a${at}`);
  const automations = await Promise.all(
    names.map((name) => world.createAutomation(name, { trigger: { type: "Manual" } })),
  );
  const wanted = (Object.keys(groups) as Group[]).flatMap((group) =>
    Array.from({ length: groups[group].count }, (_, index) => ({ group, index })),
  );
  const queue = wanted.entries();
  const worker = async (): Promise<void> => {
    for (const [at, { group, index }] of queue) {
      await createWaitingRun(automations[at % sizes.automations]!, `${group}-${index}`, deadlineOf(group, index));
    }
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}

function goTo(ms: number): void {
  world.clock.advance(ms - world.clock.now().getTime());
}

/** Starts controllers, which have each Run due at once, and waits in standing time until all were looked at. */
async function startOperator(): Promise<Operator> {
  const operator = await world.startOperator();
  expect(operator.runsDue()).toBeGreaterThanOrEqual(runCount);
  await untilLookedAt(operator);
  return operator;
}

/** Waits in standing time. */
function untilLookedAt(operator: Operator): Promise<void> {
  return world.until("every Run was looked at", () => operator.work.isIdle("run"), 0, patienceMs);
}

/**
 * Lets the deadlines of a group pass one by one; each must bring its own Run, at its very millisecond. All Runs are looked at
 * each minute, so that is waited for before; the deadlines of a group are closer together.
 */
async function passDeadlines(operator: Operator, group: Group): Promise<void> {
  goTo(deadlineOf(group, 0) - 1);
  await untilLookedAt(operator);
  const before = operator.runsDue();
  for (let passed = 1; passed <= groups[group].count; passed += 1) {
    world.clock.advance(1);
    if (operator.runsDue() - before !== passed) {
      throw new Error(`${passed} deadlines have passed, and ${operator.runsDue() - before} Runs are due`);
    }
  }
}

/** Waits until so many Runs have got their verdict from the operator, which tells of each after it is stored. */
async function untilEnded(operator: Operator, count: number): Promise<void> {
  const verdicts = (): number => operator.events.filter(({ reason }) => reason === "ExecutionTimeout").length;
  await world.until(`${count} Runs have ended`, () => verdicts() >= count, 1_000, patienceMs);
}

/** Milliseconds from its deadline to its end of each Run that has ended. */
async function delaysOfEnded(): Promise<Map<string, number>> {
  const { items } = await world.client.list(Run, { namespace: world.namespace });
  const ended = items.filter((run) => conditionOf(run)?.status !== "Unknown");
  expect(new Set(ended.map((run) => conditionOf(run)?.reason))).toEqual(new Set(["ExecutionTimeout"]));
  return new Map(
    ended.map(({ metadata, status }) => {
      const [group, index] = metadata.name!.split("-") as [Group, string];
      return [metadata.name!, Date.parse(status!.completionTime!) - deadlineOf(group, Number(index))];
    }),
  );
}

it(
  `${runCount} waiting Runs are due at their deadlines, none early and none forgotten, across a restart`,
  async () => {
    await createWaitingRuns();
    const first = await startOperator();
    expect(first.writes.filter((write) => write.includes("Run") || write.includes("Prompt"))).toEqual([]);
    await passDeadlines(first, "before");
    await untilEnded(first, groups.before.count);
    const early = await delaysOfEnded();
    expect(early.size).toBe(groups.before.count);
    expect(groupsOf(early)).toEqual(new Set(["before"]));
    await first.stop();

    goTo(deadlineOf("away", groups.away.count));
    const second = await startOperator();
    await untilEnded(second, groups.away.count);
    const ended = groups.before.count + groups.away.count;
    const late = await delaysOfEnded();
    expect(late.size).toBe(ended);
    expect(groupsOf(late)).toEqual(new Set(["before", "away"]));
    const automations = Array.from({ length: sizes.automations }, (_, at) => world.automation(`a${at}`));
    const strikes = (await Promise.all(automations)).map(({ status }) => status?.consecutiveFailures);
    expect(strikes).toEqual(strikes.map(() => ended / sizes.automations));

    // That each of them is due is known before its verdict is written.
    await passDeadlines(second, "after");
    await second.stop();
    expect([...(await delaysOfEnded()).values()].every((delayMs) => delayMs >= 0)).toBe(true);
  },
  testMs,
);

function groupsOf(delays: Map<string, number>): Set<string | undefined> {
  return new Set([...delays.keys()].map((name) => name.split("-")[0]));
}
