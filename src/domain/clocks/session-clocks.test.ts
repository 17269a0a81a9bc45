import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClockLimits } from "./limits.ts";
import {
  connectHeldUntilMs,
  type SessionClockFacts,
  sessionDeadlines,
  startsResume,
  takesPromptsUntil,
  terminationDeadline,
} from "./session-clocks.ts";
import { earliest, hasPassed, lookAfterMs, shownDeadline } from "./deadline.ts";

const createdMs = Date.parse("2026-05-04T10:00:00.000Z");
const limits: ClockLimits = { bootTimeoutMs: 1_800_000 };

function time(offsetMs: number): string {
  return new Date(createdMs + offsetMs).toISOString();
}

function aSession(facts: Partial<SessionClockFacts> = {}): SessionClockFacts {
  return {
    sandbox: { createTime: time(0), containerStartTime: time(0) },
    connected: false,
    lifetimeMs: 7_200_000,
    idleTimeoutMs: 600_000,
    ...facts,
  };
}

function promptUntil(offsetMs: number): NonNullable<SessionClockFacts["currentPrompt"]> {
  return { uid: "p1", startTime: time(0), deadline: time(offsetMs) };
}

const ready = { createTime: time(0), containerStartTime: time(0), readyTime: time(60_000) };

function verdict(facts: SessionClockFacts, atMs: number): string {
  const next = earliest(sessionDeadlines(facts, limits));
  const now = new Date(createdMs + atMs);
  if (!next) return "nothing";
  return hasPassed(next, now) ? next.reason : `waits ${String(next.atMs - now.getTime())}`;
}

describe("each clock before, at and after its instant", () => {
  it.each([
    ["waits for the connect watchdog's last millisecond", aSession(), 239_999, "waits 1"],
    ["misses the connect watchdog at 4 minutes", aSession(), 240_000, "ConnectTimeout"],
    ["misses the connect watchdog later", aSession(), 240_001, "ConnectTimeout"],
    [
      "runs the connect watchdog from the container's start, not the Pod's",
      aSession({ sandbox: { createTime: time(0), containerStartTime: time(600_000) } }),
      839_999,
      "waits 1",
    ],
    [
      "leaves scheduling and image pull to the boot budget",
      aSession({ sandbox: { createTime: time(0) } }),
      240_000,
      "waits 1560000",
    ],
    ["ends the connect watchdog with the first connect", aSession({ connected: true }), 240_000, "waits 1560000"],
    ["waits for the boot budget's last millisecond", aSession({ connected: true }), 1_799_999, "waits 1"],
    ["spends the boot budget at its instant", aSession({ connected: true }), 1_800_000, "BootTimeout"],
    ["spends the boot budget later", aSession({ connected: true }), 1_800_001, "BootTimeout"],
    [
      "ends the boot budget when boot has ended",
      aSession({ sandbox: ready, connected: true }),
      1_800_000,
      "waits 5400000",
    ],
    [
      "lets a prompt run up to its deadline",
      aSession({ sandbox: ready, connected: true, currentPrompt: promptUntil(120_000) }),
      119_999,
      "waits 1",
    ],
    [
      "ends a prompt at its deadline",
      aSession({ sandbox: ready, connected: true, currentPrompt: promptUntil(120_000) }),
      120_000,
      "ExecutionTimeout",
    ],
    [
      "ends a prompt after its deadline",
      aSession({ sandbox: ready, connected: true, currentPrompt: promptUntil(120_000) }),
      120_001,
      "ExecutionTimeout",
    ],
    ["lets a sandbox live", aSession({ sandbox: ready, connected: true, lifetimeMs: 90_000 }), 89_999, "waits 1"],
    [
      "ends a sandbox's life",
      aSession({ sandbox: ready, connected: true, lifetimeMs: 90_000 }),
      90_000,
      "SandboxLifetimeEnded",
    ],
    [
      "has ended a sandbox's life",
      aSession({ sandbox: ready, connected: true, lifetimeMs: 90_000 }),
      90_001,
      "SandboxLifetimeEnded",
    ],
    [
      "keeps an idle sandbox",
      aSession({ sandbox: ready, connected: true, idleSince: time(60_000) }),
      659_999,
      "waits 1",
    ],
    [
      "stops an idle sandbox",
      aSession({ sandbox: ready, connected: true, idleSince: time(60_000) }),
      660_000,
      "Stopped",
    ],
    [
      "has stopped an idle sandbox",
      aSession({ sandbox: ready, connected: true, idleSince: time(60_000) }),
      660_001,
      "Stopped",
    ],
    [
      "stops at once where nothing idle is kept",
      aSession({ sandbox: ready, connected: true, idleSince: time(60_000), idleTimeoutMs: 0 }),
      60_000,
      "Stopped",
    ],
    [
      "is not idle while a prompt is processed",
      aSession({ sandbox: ready, connected: true, idleSince: time(0), currentPrompt: promptUntil(9_000_000) }),
      600_000,
      "waits 6600000",
    ],
    ["has no clocks without a sandbox", aSession({ sandbox: undefined }), 9_000_000, "nothing"],
    [
      "has no clocks after the end",
      aSession({ sandbox: { createTime: time(0), endTime: time(1) } }),
      9_000_000,
      "nothing",
    ],
  ])("%s", (_name, facts, atMs, want) => {
    expect(verdict(facts, atMs)).toBe(want);
  });
});

describe("a connect watchdog that is held", () => {
  it.each([
    [0, 240_000],
    [239_999, 1],
    [239_999.5, 1],
    [240_000, undefined],
    [240_001, undefined],
  ])("with gateways there for %d ms has %s ms left", (reachableMs, leftMs) => {
    const heldMs = connectHeldUntilMs(reachableMs, new Date(createdMs));
    expect(heldMs).toBe(leftMs === undefined ? undefined : createdMs + leftMs);
  });

  it.each([
    ["does not run while that is later", createdMs + 240_001, "waits 1560000"],
    ["runs while that is its own instant", createdMs + 240_000, "ConnectTimeout"],
    ["runs while that is earlier", createdMs + 239_999, "ConnectTimeout"],
  ])("%s", (_name, heldMs, want) => {
    expect(verdict(aSession({ connectHeldUntilMs: heldMs }), 240_000)).toBe(want);
  });
});

it("names the prompt's clock first when two pass at one instant", () => {
  const facts = aSession({
    sandbox: ready,
    connected: true,
    lifetimeMs: 120_000,
    currentPrompt: promptUntil(120_000),
  });
  expect(verdict(facts, 120_000)).toBe("ExecutionTimeout");
});

it("names the clock that passed first, however late one looks", () => {
  expect(verdict(aSession(), 100_000_000)).toBe("ConnectTimeout");
});

it("shows a deadline as an instant and what comes then", () => {
  expect(sessionDeadlines(aSession(), limits).map(shownDeadline)[0]).toEqual({
    time: "2026-05-04T10:04:00.000Z",
    reason: "ConnectTimeout",
  });
});

describe("failed starts", () => {
  it.each([
    ["none", [], undefined],
    ["two in a minute", [0, 60_000], undefined],
    ["three in a minute", [0, 30_000, 60_000], 300_000],
    ["three, the last just inside the window", [0, 1, 299_999], 300_000],
    ["three over exactly the window", [0, 1, 300_000], undefined],
    ["four of which the last three count", [0, 200_000, 250_000, 350_000], 500_000],
  ])("%s", (_name, offsets, resumeMs) => {
    expect(startsResume(offsets.map(time))?.atMs).toBe(resumeMs === undefined ? undefined : createdMs + resumeMs);
  });
});

it.each([
  [-1, 0],
  [0, 0],
  [1, 1],
  [59_999, 59_999],
  [60_000, 60_000],
  [60_001, 60_000],
  [7_200_000, 60_000],
])("looks at the clock again for an instant that is %d ms ahead after %d ms", (aheadMs, wantMs) => {
  expect(lookAfterMs(createdMs + aheadMs, new Date(createdMs))).toBe(wantMs);
});

it("gives a Pod that does not go away 5 minutes", () => {
  const deadline = terminationDeadline(time(0));
  expect([299_999, 300_000, 300_001].map((ms) => hasPassed(deadline, new Date(createdMs + ms)))).toEqual([
    false,
    true,
    true,
  ]);
});

const offsets = fc.integer({ min: 0, max: 20_000_000 });
const anyFacts: fc.Arbitrary<SessionClockFacts> = fc.record({
  sandbox: fc.option(
    fc.record(
      {
        createTime: offsets.map(time),
        containerStartTime: offsets.map(time),
        readyTime: offsets.map(time),
        endTime: offsets.map(time),
        forPromptUID: fc.constant("p1"),
      },
      { requiredKeys: ["createTime"] },
    ),
    { nil: undefined },
  ),
  connected: fc.boolean(),
  currentPrompt: fc.option(
    fc.record({ uid: fc.constantFrom("p1", "p2"), startTime: offsets.map(time), deadline: offsets.map(time) }),
    { nil: undefined },
  ),
  executionTimeoutMs: fc.option(fc.integer({ min: 1_000, max: 604_800_000 }), { nil: undefined }),
  lifetimeMs: fc.option(fc.integer({ min: 1_000, max: 604_800_000 }), { nil: undefined }),
  idleSince: fc.option(offsets.map(time), { nil: undefined }),
  idleTimeoutMs: fc.integer({ min: 0, max: 86_400_000 }),
});

describe("whatever the facts", () => {
  it("never asks to be woken in the past, and waking then finds the deadline passed", () => {
    fc.assert(
      fc.property(anyFacts, offsets, (facts, atMs) => {
        const now = new Date(createdMs + atMs);
        const next = earliest(sessionDeadlines(facts, limits));
        if (!next) return;
        const leftMs = lookAfterMs(next.atMs, now);
        expect(leftMs > 0).toBe(!hasPassed(next, now));
        expect(leftMs === 60_000 || hasPassed(next, new Date(now.getTime() + leftMs))).toBe(true);
      }),
    );
  });

  it("keeps its verdict as time goes on and across restarts", () => {
    fc.assert(
      fc.property(anyFacts, offsets, offsets, (facts, atMs, laterMs) => {
        const next = earliest(sessionDeadlines(facts, limits));
        // What a successor reads is what was stored: the same facts as JSON.
        const stored: unknown = JSON.parse(JSON.stringify(facts));
        const after = earliest(sessionDeadlines(stored as SessionClockFacts, limits));
        expect(after).toEqual(next);
        if (next && hasPassed(next, new Date(createdMs + atMs))) {
          expect(hasPassed(next, new Date(createdMs + atMs + laterMs))).toBe(true);
        }
      }),
    );
  });
});

describe("a sandbox whose workspace is saved takes further prompts", () => {
  const minute = 60_000;
  const hour = 60 * minute;
  it.each([
    { name: "while their whole budget is left", lifetimeMs: 8 * hour, budgetMs: 2 * hour, untilMs: 350 * minute },
    { name: "at once, where a sandbox has just the budget", lifetimeMs: 130 * minute, budgetMs: 2 * hour, untilMs: 0 },
    {
      name: "for half of its time, where none has the budget",
      lifetimeMs: 129 * minute,
      budgetMs: 2 * hour,
      untilMs: 59.5 * minute,
    },
    {
      name: "for half of its time, where it is as long as the budget",
      lifetimeMs: 45 * minute,
      budgetMs: 45 * minute,
      untilMs: 17.5 * minute,
    },
    { name: "at any time without a lifetime", lifetimeMs: undefined, budgetMs: 2 * hour, untilMs: undefined },
    { name: "at any time before the budget is known", lifetimeMs: 2 * hour, budgetMs: undefined, untilMs: undefined },
    {
      name: "at any time where nothing is saved at its end",
      lifetimeMs: 10 * minute,
      budgetMs: 10 * minute,
      untilMs: undefined,
    },
  ])("$name", ({ lifetimeMs, budgetMs, untilMs }) => {
    const facts = { sandbox: ready, lifetimeMs, executionTimeoutMs: budgetMs };
    expect(takesPromptsUntil(facts, 10 * minute)).toBe(untilMs === undefined ? undefined : createdMs + untilMs);
  });
});
