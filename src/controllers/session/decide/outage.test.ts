import { describe, expect, it } from "vitest";

import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { GatewayOutage } from "../../sandbox/facts.ts";
import { firstStep, type FirstStep, type GivenFacts } from "../fake-steps.ts";
import { afterOutage } from "./outage.ts";

const minute = 60_000;
const startMs = Date.parse("2026-05-04T10:00:00.000Z");
const limits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 120 * minute };

function time(ms: number): string {
  return new Date(startMs + ms).toISOString();
}

function outage(fromMs: number, untilMs?: number): GatewayOutage {
  return { fromMs: startMs + fromMs, ...(untilMs !== undefined && { untilMs: startMs + untilMs }) };
}

const booting: Sandbox = { attempt: 1, podName: "fix-x-1", podUID: "u1", createTime: time(0) };
const ready: Sandbox = { ...booting, containerStartTime: time(0), readyTime: time(0) };
const currentPrompt = { name: "p1", uid: "p1", startTime: time(5 * minute), deadline: time(50 * minute) };

describe("an outage that is over", () => {
  it.each<[string, SessionStatus, GatewayOutage, object]>([
    [
      "makes the boot budget longer",
      { sandbox: booting },
      outage(10 * minute, 70 * minute),
      { sandbox: { ...booting, gatewaysAwayMs: 60 * minute, gatewaysBackTime: time(70 * minute) } },
    ],
    [
      "counts from the pod's creation where that is later",
      { sandbox: booting },
      outage(-30 * minute, 10 * minute),
      { sandbox: { ...booting, gatewaysAwayMs: 10 * minute, gatewaysBackTime: time(10 * minute) } },
    ],
    [
      "adds to an earlier one",
      { sandbox: { ...booting, gatewaysAwayMs: 1, gatewaysBackTime: time(minute) } },
      outage(2 * minute, 3 * minute),
      { sandbox: { ...booting, gatewaysAwayMs: minute + 1, gatewaysBackTime: time(3 * minute) } },
    ],
    [
      "moves the prompt's deadline and leaves a boot that is over",
      { sandbox: ready, currentPrompt },
      outage(0, 60 * minute),
      {
        sandbox: { ...ready, gatewaysBackTime: time(60 * minute) },
        currentPrompt: { ...currentPrompt, deadline: time(105 * minute) },
      },
    ],
  ])("%s", (_name, status, of, want) => {
    const once = afterOutage(status, of);
    expect(once).toEqual(want);
    expect(afterOutage(once, of)).toBe(once);
  });

  it.each<[string, SessionStatus, GatewayOutage | undefined]>([
    ["there was none", { sandbox: booting }, undefined],
    ["it goes on", { sandbox: booting }, outage(0)],
    ["it is assumed", { sandbox: booting }, { ...outage(0), isAssumed: true }],
    ["it was over before the pod", { sandbox: booting }, outage(-2 * minute, 0)],
    ["the sandbox is idle", { sandbox: ready }, outage(0, minute)],
    ["the sandbox has ended", { sandbox: { ...booting, endTime: time(0) } }, outage(0, minute)],
    ["there is no sandbox", {}, outage(0, minute)],
  ])("changes nothing when %s", (_name, status, of) => {
    expect(afterOutage(status, of)).toBe(status);
  });
});

describe("an hour without gateways", () => {
  const pods: GivenFacts["pods"] = [
    { name: "fix-x-1", uid: "u1", resourceVersion: "7", attempt: 1, isStarted: true, isTerminating: false },
  ];
  const lease = { isReady: true };

  function step(status: SessionStatus, atMs: number, of?: GatewayOutage): FirstStep {
    const prompts = status.currentPrompt ? [aPrompt({ metadata: { name: "p1", uid: "p1" } })] : [];
    const session = aSession({
      spec: { idleTimeoutSeconds: 600 },
      status: { executionTimeoutMs: 45 * minute, lifetimeMs: 100 * minute, promptsEnded: 1, ...status },
    });
    const given: GivenFacts = { session, prompts, pods, secrets: [], isSilent: false, children: [], gatewayOutage: of };
    return firstStep({ ...given, ...(status.sandbox?.readyTime && { lease }) }, new Date(startMs + atMs), limits);
  }

  const wentOn = (found: FirstStep): unknown => (found.kind === "writeStatus" ? found.end : undefined);
  const writtenIn = (found: FirstStep): SessionStatus => (found.kind === "writeStatus" ? found.status : {});
  const saves = (found: FirstStep): boolean =>
    found.kind === "writeStatus" && found.status.sandbox?.snapshotTime !== undefined;

  it.each<[string, SessionStatus, number]>([
    ["boot", { sandbox: { ...booting, forPromptUID: "p1" }, queue: ["p1"] }, 30 * minute],
    ["prompt", { sandbox: ready, queue: ["p1"], currentPrompt }, 50 * minute],
    ["idle sandbox", { sandbox: ready, idleSince: time(20 * minute) }, 30 * minute],
  ])("ends no %s", (_name, status, dueMs) => {
    const withoutOutage = step(status, dueMs);
    expect(wentOn(withoutOutage) !== undefined || saves(withoutOutage)).toBe(true);
    for (const atMs of [dueMs, dueMs + 10 * minute]) {
      const held = step(status, atMs, outage(15 * minute));
      expect(wentOn(held)).toBeUndefined();
      expect(saves(held)).toBe(false);
    }
  });

  it.each<[string, SessionStatus, number]>([
    ["boot", { sandbox: { ...booting, forPromptUID: "p1" }, queue: ["p1"] }, 30 * minute],
    ["prompt", { sandbox: ready, queue: ["p1"], currentPrompt }, 50 * minute],
  ])(
    "ends no %s while it is assumed, and is not shown: it ends at once when a gateway is seen",
    (_name, status, dueMs) => {
      const assumed = { ...outage(dueMs - 1), isAssumed: true } as const;
      const before = writtenIn(step(status, dueMs - 1, assumed));
      expect(before.nextDeadline).toBeDefined();
      expect(before).toEqual(writtenIn(step(status, dueMs - 1)));
      const held = step({ ...status, ...before }, dueMs, assumed);
      expect(wentOn(held)).toBeUndefined();
      expect(saves(held)).toBe(false);
      const seen = step({ ...status, ...before }, dueMs);
      expect(wentOn(seen) !== undefined || saves(seen)).toBe(true);
      expect(writtenIn(seen).sandbox?.gatewaysBackTime).toBeUndefined();
    },
  );

  it("moves the prompt's deadline in the first write afterwards, and ends the prompt at that instant", () => {
    const of = outage(15 * minute, 75 * minute);
    const status = { sandbox: ready, queue: ["p1"], currentPrompt, lifetimeMs: 600 * minute };
    const first = step(status, 75 * minute, of);
    expect(first).toMatchObject({ kind: "writeStatus", status: { currentPrompt: { deadline: time(110 * minute) } } });
    const stored = (first as Extract<FirstStep, { kind: "writeStatus" }>).status;
    const saving = (atMs: number): unknown => {
      const next = step(stored, atMs, of);
      return next.kind === "writeStatus" ? next.status.sandbox?.snapshotTime : undefined;
    };
    expect(saving(110 * minute - 1)).toBeUndefined();
    expect(saving(110 * minute)).toBe(time(110 * minute));
  });

  it("ends a sandbox by its pod's age", () => {
    const status = { sandbox: { ...ready, snapshotTime: undefined }, idleSince: time(0) };
    const found = step(status, 100 * minute, outage(15 * minute));
    expect(found).toMatchObject({ kind: "writeStatus", status: { sandbox: { snapshotTime: time(100 * minute) } } });
  });
});
