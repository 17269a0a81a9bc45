import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Automation, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { keyedRunName } from "../../../src/domain/object-names.ts";
import { aPrompt, aSession } from "../../support/builders.ts";
import { collectingPlane } from "../../support/collecting-plane.ts";
import { deliver, receipt } from "../ingress/sender.ts";
import { type Intake, issueKey, startIntake } from "./intake.ts";
import { conditionOf, World, type Operator } from "./world.ts";

const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
const atOnce = 20;

// The garbage collector takes Prompts away with their Sessions.
const plane = collectingPlane();
let world: World;
let intake: Intake;

beforeEach(async () => {
  world = await World.make(plane.kubeconfig);
  intake = await startIntake(world);
});
afterEach(async () => {
  await intake.close();
  await world.close();
});

const history = { successfulLimit: 1, failedLimit: 1, skippedLimit: 1, ttlSeconds: 86_400, idempotencySeconds: 86_400 };
const rateLimit = { perSecond: 1_000, burst: 10_000 };

/** Delivers each key once, has every agent succeed, and waits until only the newest Run is more than a memory. */
async function fillHistory(automation: Automation, key: string, operator: Operator): Promise<void> {
  for (let from = 0; from < keys.length; from += atOnce) {
    await sendAll(automation, key, keys.slice(from, from + atOnce));
    await world.until("the agents have answered", () => answerPrompts(), 20);
  }
  await world.until("the history is pruned", async () => (await full()).length === 1, 1_000);
  await world.rest(operator);
}

/** Delivers these keys as a sender does, who repeats what was answered 503; returns the last answers. */
function sendAll(automation: Automation, key: string, some: readonly string[]): Promise<unknown[]> {
  const send = async (one: string): Promise<unknown> => {
    const answer = await deliver(intake, { id: intake.idOf(automation), key }, body(one));
    return answer.status === 503 ? send(one) : answer.body;
  };
  return Promise.all(some.map(send));
}

function body(idempotencyKey: string): object {
  return { idempotencyKey, planted: "payload of a sender" };
}

/** Settles the first prompts that are there; true when no Run goes on. */
async function answerPrompts(): Promise<boolean> {
  const { items: prompts } = await world.client.list(Prompt, { namespace: world.namespace });
  const open = prompts.filter((prompt) => conditionOf(prompt) === undefined);
  await Promise.all(open.map(({ metadata }) => world.settlePrompt(metadata.name!, true, "Completed", { branch: "b" })));
  const { items: runs } = await world.client.list(Run, { namespace: world.namespace });
  return runs.every((run) => conditionOf(run)?.status === "True");
}

/** Runs that still have their payload. */
async function full(): Promise<Run[]> {
  const { items } = await world.client.list(Run, { namespace: world.namespace });
  return items.filter(({ spec }) => spec.trigger.payload !== undefined);
}

it("with the last Run alone kept still knows 100 keys, and nothing else of their Runs", async () => {
  const automation = await world.createAutomation("triage", {
    trigger: {
      type: "Webhook",
      webhook: { filters: [], requestRateLimit: rateLimit, rateLimit, maxUnfinishedRuns: 1_000 },
    },
    history: { ...history, idempotencyKeys: 10_000 },
  });
  const key = await issueKey(world, automation);
  const operator = await world.startOperator();
  await fillHistory(automation, key, operator);

  await world.until("the collector is through", async () => (await world.names(Prompt)).length === 1);
  expect(await world.names(Session)).toHaveLength(1);
  const { items } = await world.client.list(Run, { namespace: world.namespace });
  expect(items).toHaveLength(keys.length);
  const emptied = items.filter(({ spec }) => spec.trigger.payload === undefined);
  expect(emptied).toHaveLength(keys.length - 1);
  expect(JSON.stringify(emptied)).not.toMatch(/payload of a sender|key-\d|runwright\/fix/);
  for (const { status } of emptied)
    expect(Object.keys(status ?? {}).sort()).toEqual([
      "completionTime",
      "conditions",
      "observedGeneration",
      "startTime",
      "took",
    ]);

  operator.writes.length = 0;
  const repeated = await sendAll(automation, key, keys);
  expect(repeated).toEqual(keys.map(() => receipt(0, 1)));
  await world.rest(operator);
  expect(await world.names(Run)).toHaveLength(keys.length);
  expect(operator.writes).toEqual([]);
  const horizon = (await world.automation("triage")).status?.idempotencyHorizon;
  expect(world.clock.now().getTime() - Date.parse(horizon!)).toBeGreaterThanOrEqual(86_400_000);

  await operator.stop();
  const second = await world.startOperator();
  await world.rest(second);
  expect(second.writes).toEqual([]);
});

it("forgets the oldest keys where there are too many, and says from when on they are known", async () => {
  const automation = await world.createAutomation("triage", {
    trigger: {
      type: "Webhook",
      webhook: { filters: [], requestRateLimit: rateLimit, rateLimit, maxUnfinishedRuns: 1_000 },
    },
    history: { ...history, idempotencyKeys: 10 },
  });
  const key = await issueKey(world, automation);
  const operator = await world.startOperator();
  await fillHistory(automation, key, operator);
  // The one that ended last need not be one of the ten that were created last: it is kept besides them.
  await world.until("the oldest are forgotten", async () => (await world.names(Run)).length <= 11, 1_000);
  await world.rest(operator);

  const { items } = await world.client.list(Run, { namespace: world.namespace });
  const emptied = items.filter(({ spec }) => spec.trigger.payload === undefined);
  expect([9, 10]).toContain(emptied.length);
  expect(items).toHaveLength(emptied.length + 1);
  const horizonMs = Date.parse((await world.automation("triage")).status!.idempotencyHorizon!);
  for (const { metadata } of emptied) expect(Date.parse(metadata.creationTimestamp!)).toBeGreaterThanOrEqual(horizonMs);
  expect(world.clock.now().getTime() - horizonMs).toBeLessThan(86_400_000);

  await operator.stop();
  const answers = (await sendAll(automation, key, keys)) as { skipped: number }[];
  expect(answers.filter(({ skipped }) => skipped === 1)).toHaveLength(items.length);
});

describe("a Run beyond its history whose family is at work", () => {
  const minute = 60_000;

  /** A session that an agent has started in another one, with a prompt that it works at. */
  async function startChild(of: Session, name: string): Promise<Session> {
    const { client, namespace } = world;
    const { name: owner = "", uid = "" } = of.metadata;
    const ownerReferences = [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: owner, uid }];
    const labels = { "runwright.dev/parent-uid": uid };
    const child = await client.create(
      Session,
      aSession({ metadata: { name, namespace, labels, ownerReferences }, spec: { idleTimeoutSeconds: 0 } }),
    );
    await ask(child);
    return child;
  }

  async function ask({ metadata }: Session, suffix = "1"): Promise<void> {
    const { name = "", namespace } = metadata;
    const prompt = aPrompt({ metadata: { name: `${name}-${suffix}`, namespace }, spec: { sessionRef: { name } } });
    await world.client.create(Prompt, prompt);
  }

  /** A Run that has completed later than all before it, and its session. */
  async function completed(automation: Automation, idempotencyKey?: string): Promise<Session> {
    world.clock.advance(1_000);
    const time = world.clock.now().toISOString();
    const trigger = { type: "Webhook" as const, time, payload: "{}", ...(idempotencyKey && { idempotencyKey }) };
    const { name: owner = "", uid = "" } = automation.metadata;
    // Of a Run that is emptied, its name alone remembers the key.
    const named = idempotencyKey === undefined ? {} : { name: keyedRunName({ name: owner, uid }, idempotencyKey) };
    const run = await world.createRun(automation, trigger, named);
    const name = run.metadata.name!;
    await world.untilPrompt(name);
    await world.settlePrompt(`${name}-0-1`, true, "Completed");
    await world.untilRun(name, "Completed");
    return world.session(`${name}-0`);
  }

  async function kept(): Promise<string[]> {
    await world.rest(operator);
    return (await full()).map(({ metadata }) => metadata.name!).toSorted();
  }

  let operator: Operator;
  let automation: Automation;

  beforeEach(async () => {
    automation = await world.createAutomation("triage", { history: { ...history, idempotencyKeys: 10_000 } });
    operator = await world.startOperator();
  });

  it.each([
    { name: "is deleted", key: undefined },
    { name: "is emptied", key: "key" },
  ])("$name once a child of its child has ended, across a restart", async ({ key }) => {
    const session = await completed(automation, key);
    const child = await startChild(session, "child");
    await world.settlePrompt("child-1", true, "Completed");
    await startChild(child, "grandchild");
    const newer = await completed(automation);
    const run = session.metadata.name!.replace(/-0$/, "");
    const newest = newer.metadata.name!.replace(/-0$/, "");
    world.clock.advance(minute);
    expect(await kept()).toEqual([run, newest].toSorted());
    expect(await world.names(Session)).toContain("grandchild");
    await operator.stop();
    operator = await world.startOperator();
    expect(await kept()).toEqual([run, newest].toSorted());

    await world.settlePrompt("grandchild-1", true, "Completed");
    world.clock.advance(minute);
    expect(await kept()).toEqual([newest]);
    await world.until("the collector is through", async () => (await world.names(Session)).length === 1);
    await world.rest(operator);
    expect(await world.names(Run)).toHaveLength(key === undefined ? 1 : 2);
  });

  it("stays while a person's later prompt to its own session is worked at", async () => {
    const session = await completed(automation);
    await ask(session, "again");
    const newer = await completed(automation);
    const names = [session, newer].map(({ metadata }) => metadata.name!.replace(/-0$/, ""));
    world.clock.advance(minute);
    expect(await kept()).toEqual(names.toSorted());
    await world.settlePrompt(`${session.metadata.name!}-again`, true, "Completed");
    world.clock.advance(minute);
    expect(await kept()).toEqual([names[1]]);
  });
});
