import { describe, expect, it } from "vitest";

import type { Run } from "../../api/v1alpha1/index.ts";
import type { Delivery, WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import { compileFilters } from "../../domain/filters/compile.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import { KubeError, type KubeErrorFacts } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ClusterRunWriter, createsOfOneAutomation } from "./run-writer.ts";

const automation: WebhookAutomation = {
  type: "Webhook",
  namespace: "demo",
  name: "alerts",
  uid: "u1",
  generation: 3,
  version: "7",
  pausedBecause: undefined,
  filters: compileFilters([]),
  idempotencyKey: () => undefined,
  requestRateLimit: { perSecond: 1, burst: 1 },
  rateLimit: { perSecond: 1, burst: 100 },
  maxUnfinishedRuns: 2,
  activeRuns: 0,
  lastRunName: undefined,
  readMs: 0,
};
const delivery: Delivery = {
  id: "d",
  receivedAt: new Date("2026-05-04T10:15:00.000Z"),
  payload: "{}",
  idempotencyKey: undefined,
  deadlineMs: 2_800,
};
const keyed = { ...delivery, idempotencyKey: "k" };

const failure = (facts: Partial<KubeErrorFacts>): KubeError =>
  new KubeError({ message: "create", status: 0, reason: "ConnectionFailed", delivery: "lost", ...facts });
const taken = failure({ status: 409, reason: "AlreadyExists", delivery: "received" });
const lost = failure({});
const unsent = failure({ delivery: "unsent" });
const quota = failure({ status: 403, message: "exceeded quota: runs", delivery: "received" });

/** How a create or a look at a Run ends; a create succeeds, and a look finds nothing, where it is undefined. */
type End = KubeError | "there" | undefined;

/** A writer whose creates and looks end as listed, then with success and without a Run. */
function world(...ends: End[]) {
  const clock = new FakeClock();
  const names: string[] = [];
  const looked: string[] = [];
  let draws = 0;
  const next = (): Promise<boolean> => {
    const end = ends.shift();
    // A pause between attempts passes by itself.
    setImmediate(() => clock.advance(300));
    return end instanceof KubeError ? Promise.reject(end) : Promise.resolve(end === "there");
  };
  const store = (_kind: unknown, run: Run): Promise<unknown> => {
    names.push(run.metadata.name ?? "");
    return next();
  };
  const exists = (_kind: unknown, { name }: ObjectKey): Promise<boolean> => {
    looked.push(name);
    return next();
  };
  const random = { bytes: (size: number) => Buffer.alloc(size, (draws += 1)) };
  // The writer stores Runs and looks at them, and does nothing else.
  const client = { store: store as never, exists: exists as never };
  return { clock, names, looked, writer: new ClusterRunWriter({ client, clock, random }) };
}

/** A writer whose creates end when the test says so. */
function heldWorld() {
  const names: string[] = [];
  const answers: PromiseWithResolvers<undefined>[] = [];
  const store = (_kind: unknown, { metadata }: Run): Promise<undefined> => {
    const answer = Promise.withResolvers<undefined>();
    answers.push(answer);
    names.push(metadata.name ?? "");
    return answer.promise;
  };
  let draws = 0;
  const random = { bytes: (size: number) => Buffer.alloc(size, (draws += 1)) };
  // The writer stores Runs, and looks at none that it stored.
  const client = { store: store as never, exists: undefined as never };
  return { answers, names, writer: new ClusterRunWriter({ client, clock: new FakeClock(), random }) };
}

it.each([
  { name: "a new key", ends: [], of: keyed, want: "triggered", attempts: 1 },
  { name: "a known key", ends: [taken], of: keyed, want: "skipped", attempts: 1 },
  { name: "a key, first answer lost, then there", ends: [lost, taken], of: keyed, want: "triggered", attempts: 2 },
  { name: "a key, first answer lost, then made", ends: [lost], of: keyed, want: "triggered", attempts: 2 },
  { name: "a key, not sent at first, then there", ends: [unsent, taken], of: keyed, want: "skipped", attempts: 2 },
  { name: "a key, lost, not sent, then there", ends: [lost, unsent, taken], of: keyed, want: "triggered", attempts: 3 },
  { name: "no key", ends: [], of: delivery, want: "triggered", attempts: 1 },
  { name: "no key, first answer lost, then there", ends: [lost, taken], of: delivery, want: "triggered", attempts: 2 },
])("$name: $want", async ({ ends, of, want, attempts }) => {
  const { names, writer } = world(...ends);
  expect(await writer.create(automation, of)).toMatchObject({ verdict: want, runName: names.at(-1) });
  expect(names).toHaveLength(attempts);
  expect(new Set(names).size).toBe(1);
});

it("draws again when a random name is taken", async () => {
  const { names, writer } = world(taken);
  expect(await writer.create(automation, delivery)).toMatchObject({ verdict: "triggered" });
  expect(new Set(names).size).toBe(2);
});

it.each([
  { name: "three lost answers", ends: [lost, lost, lost], attempts: 3, why: "create-no-answer" },
  {
    name: "time out",
    ends: [failure({ reason: "Timeout" }), failure({ reason: "Timeout" }), failure({ reason: "Timeout" })],
    attempts: 3,
    why: "create-timeout",
  },
  {
    name: "an answer that says no",
    ends: [failure({ status: 500, delivery: "received" })],
    attempts: 1,
    why: "create-failed",
  },
])("gives up after $name", async ({ ends, attempts, why }) => {
  const { names, writer } = world(...ends);
  await expect(writer.create(automation, keyed)).rejects.toMatchObject({ code: "Unavailable", why });
  expect(names).toHaveLength(attempts);
});

it("begins no attempt after the deadline", async () => {
  const { clock, names, writer } = world(lost, lost);
  clock.advance(2_600);
  await expect(writer.create(automation, keyed)).rejects.toMatchObject({ code: "Unavailable" });
  expect(names).toHaveLength(2);
});

it.each([
  { name: "below the limit", activeRuns: 1, refused: false },
  { name: "at the limit", activeRuns: 2, refused: true },
  { name: "above the limit", activeRuns: 3, refused: true },
])("counts unfinished runs: $name", async ({ activeRuns, refused }) => {
  const { names, writer } = world();
  const created = writer.create({ ...automation, activeRuns }, keyed);
  if (refused) await expect(created).rejects.toMatchObject({ code: "TooManyUnfinishedRuns", retryAfterSeconds: 10 });
  else expect(await created).toMatchObject({ verdict: "triggered" });
  expect(names).toHaveLength(refused ? 0 : 1);
});

describe("a delivery at the limit", () => {
  const full = { ...automation, activeRuns: 2 };

  it("whose key has a Run is a duplicate", async () => {
    const { names, looked, writer } = world("there");
    expect(await writer.create(full, keyed)).toMatchObject({ verdict: "skipped", runName: looked[0] });
    expect([names.length, looked.length]).toEqual([0, 1]);
  });

  it.each([
    { name: "with a new key", of: keyed, ends: [], looks: 1 },
    { name: "whose look got no answer", of: keyed, ends: [lost], looks: 1 },
    { name: "whose look was refused", of: keyed, ends: [failure({ status: 403, delivery: "received" })], looks: 1 },
    { name: "without a key", of: delivery, ends: [], looks: 0 },
  ])("$name is refused", async ({ of, ends, looks }) => {
    const { names, looked, writer } = world(...ends);
    await expect(writer.create(full, of)).rejects.toMatchObject({ code: "TooManyUnfinishedRuns" });
    expect([names.length, looked.length]).toEqual([0, looks]);
  });
});

describe("a create that admission refuses, which it does before it looks whether the name is taken", () => {
  const refused = (status: number): KubeError => failure({ status, reason: "Refused", delivery: "received" });

  it.each([
    { name: "a quota", end: quota },
    { name: "a webhook that finds it malformed", end: refused(400) },
    { name: "a policy that forbids it", end: refused(403) },
    { name: "a policy or LimitRange that finds it invalid", end: refused(422) },
  ])("for $name is a duplicate where the key has a Run", async ({ end }) => {
    const { names, looked, writer } = world(end, "there");
    const { verdict, runName } = await writer.create(automation, keyed);
    expect({ verdict, runName }).toEqual({ verdict: "skipped", runName: names[0] });
    expect(looked).toEqual(names);
  });

  it.each([
    { name: "a new key", of: keyed, ends: [quota], looks: 1 },
    { name: "a look without an answer", of: keyed, ends: [quota, lost], looks: 1 },
    { name: "a look that is refused", of: keyed, ends: [quota, refused(403)], looks: 1 },
    { name: "no key", of: delivery, ends: [quota, "there" as const], looks: 0 },
  ])("for a quota stays refused with $name", async ({ of, ends, looks }) => {
    const { names, looked, writer } = world(...ends);
    await expect(writer.create(automation, of)).rejects.toMatchObject({ code: "Throttled", why: "quota" });
    expect([names.length, looked.length]).toEqual([1, looks]);
  });

  it.each([401, 404, 429, 500])("is not looked after for an answer %i", async (status) => {
    const { looked, writer } = world(refused(status), "there");
    await expect(writer.create(automation, keyed)).rejects.toMatchObject({ name: "Refusal" });
    expect(looked).toEqual([]);
  });

  it.each([
    { name: "a key", of: keyed },
    { name: "no key", of: delivery },
  ])("after a lost answer is that answer's Run, with $name", async ({ of }) => {
    const { names, looked, writer } = world(lost, quota, "there");
    expect(await writer.create(automation, of)).toMatchObject({ verdict: "triggered", runName: names[0] });
    expect([names.length, looked]).toEqual([2, [names[0]]]);
  });

  it("after a lost answer that stored nothing stays refused", async () => {
    const { writer } = world(lost, quota);
    await expect(writer.create(automation, delivery)).rejects.toMatchObject({ code: "Throttled" });
  });
});

describe("the rate of Runs started", () => {
  const slow = { ...automation, maxUnfinishedRuns: 100, rateLimit: { perSecond: 1, burst: 2 } };
  const rateLimited = { code: "RateLimited", retryAfterSeconds: 1 };

  it("is the burst, then one for each second", async () => {
    const { clock, writer } = world();
    const start = () => writer.create(slow, delivery);
    await start();
    await start();
    await expect(start()).rejects.toMatchObject(rateLimited);
    clock.advance(1_000);
    expect(await start()).toMatchObject({ verdict: "triggered" });
    await expect(start()).rejects.toMatchObject(rateLimited);
  });

  it.each([
    { name: "a duplicate", end: taken },
    { name: "a delivery that could not be stored", end: failure({ status: 500, delivery: "received" }) },
  ])("is not used up by $name", async ({ end }) => {
    const { writer } = world(end, end, end);
    for (let at = 0; at < 3; at += 1) await writer.create(slow, keyed).catch(() => undefined);
    for (let at = 0; at < 2; at += 1)
      expect(await writer.create(slow, delivery)).toMatchObject({ verdict: "triggered" });
    await expect(writer.create(slow, delivery)).rejects.toMatchObject(rateLimited);
  });

  it("is one token for deliveries of one key at the same moment", async () => {
    const { writer } = world(undefined, taken, undefined);
    const both = await Promise.all([writer.create(slow, keyed), writer.create(slow, keyed)]);
    expect(both).toMatchObject([{ verdict: "triggered" }, { verdict: "skipped" }]);
    expect(await writer.create(slow, delivery)).toMatchObject({ verdict: "triggered" });
    await expect(writer.create(slow, delivery)).rejects.toMatchObject(rateLimited);
  });

  it("holds no duplicate up", async () => {
    const { looked, writer } = world(undefined, undefined, "there");
    for (let at = 0; at < 2; at += 1) await writer.create(slow, delivery);
    expect(await writer.create(slow, keyed)).toMatchObject({ verdict: "skipped", runName: looked[0] });
    await expect(writer.create(slow, { ...keyed, idempotencyKey: "new" })).rejects.toMatchObject(rateLimited);
  });
});

it("counts its own runs before the controller does, and forgets those of an automation that is gone", async () => {
  const { writer } = world();
  await writer.create(automation, delivery);
  await writer.create(automation, delivery);
  await expect(writer.create(automation, delivery)).rejects.toMatchObject({ code: "TooManyUnfinishedRuns" });
  writer.forget("u1");
  expect(await writer.create(automation, delivery)).toMatchObject({ verdict: "triggered" });
});

describe("deliveries at the same moment", () => {
  /** How many of them become Runs and how many are refused for the limit. */
  async function together(sent: Delivery[], limit: number, ...ends: End[]) {
    const { writer, names } = world(...ends);
    const of = { ...automation, maxUnfinishedRuns: limit };
    const outcomes = await Promise.allSettled(sent.map((one) => writer.create(of, one)));
    const triggered = outcomes.filter((one) => one.status === "fulfilled" && one.value.verdict === "triggered").length;
    const refused = outcomes.filter(
      (one) => one.status === "rejected" && (one.reason as { code?: string }).code === "TooManyUnfinishedRuns",
    ).length;
    return { writer, of, names, triggered, refused };
  }
  const many = (count: number): Delivery[] =>
    Array.from({ length: count }, (_one, at) => ({ ...delivery, id: `d${at}` }));

  it.each([
    { name: "below", count: 2, limit: 3, triggered: 2 },
    { name: "at", count: 3, limit: 3, triggered: 3 },
    { name: "above", count: 4, limit: 3, triggered: 3 },
    { name: "far above", count: 50, limit: 1, triggered: 1 },
  ])("$name the limit: $triggered of $count", async ({ count, limit, triggered }) => {
    const seen = await together(many(count), limit);
    expect([seen.triggered, seen.refused, seen.names.length]).toEqual([triggered, count - triggered, triggered]);
  });

  it("of one idempotency key need room for one", async () => {
    const sent = many(3).map((one) => ({ ...one, idempotencyKey: "k" }));
    const seen = await together(sent, 1, undefined, taken, taken);
    expect([seen.triggered, seen.refused]).toEqual([1, 0]);
  });

  it.each([
    { name: "failed", end: failure({ status: 500, delivery: "received" }), of: delivery },
    { name: "was there already", end: taken, of: keyed },
  ])("give their room back when the create $name", async ({ end, of }) => {
    const seen = await together([of], 1, end);
    expect(seen.triggered).toBe(0);
    expect(await seen.writer.create(seen.of, { ...delivery, id: "next" })).toMatchObject({ verdict: "triggered" });
  });
});

it("does not count duplicates", async () => {
  const { writer } = world(taken, taken, taken);
  for (let at = 0; at < 3; at += 1)
    expect(await writer.create(automation, keyed)).toMatchObject({ verdict: "skipped" });
});

it.each([
  { name: "below", deliveries: createsOfOneAutomation - 1, sent: createsOfOneAutomation - 1, waiting: 0 },
  { name: "at", deliveries: createsOfOneAutomation, sent: createsOfOneAutomation, waiting: 0 },
  { name: "above", deliveries: createsOfOneAutomation + 1, sent: createsOfOneAutomation, waiting: 1 },
])("one automation $name its creates at once keeps no other waiting", async ({ deliveries, sent, waiting }) => {
  const { answers, names, writer } = heldWorld();
  const busy = { ...automation, maxUnfinishedRuns: 100 };
  const created = Array.from({ length: deliveries }, () => writer.create(busy, delivery));
  expect(names).toHaveLength(sent);
  expect(writer.load).toEqual({ working: sent, waiting });
  const other = writer.create({ ...busy, name: "other", uid: "u2" }, delivery);
  expect(names).toHaveLength(sent + 1);
  expect(writer.load).toEqual({ working: sent + 1, waiting });
  // A failed create frees its place as another does, and only for its own automation.
  answers[0]?.reject(failure({ status: 500, delivery: "received" }));
  await expect(created[0]).rejects.toMatchObject({ code: "Unavailable" });
  expect(writer.load).toEqual({ working: deliveries, waiting: 0 });
  for (const { resolve } of answers) resolve(undefined);
  await Promise.all([...created.slice(1), other]);
  expect(writer.load).toEqual({ working: 0, waiting: 0 });
});
