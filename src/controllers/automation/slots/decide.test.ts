import { describe, expect, it } from "vitest";

import { anAutomation } from "../../../../test/support/builders.ts";
import type { Automation, AutomationStatus, Run } from "../../../api/v1alpha1/index.ts";
import { decideSlot, type SlotDecision } from "./decide.ts";
import { scheduleAt } from "./schedule.ts";

const hourly = "0 * * * *";

interface Given {
  cron?: string;
  timeZone?: string;
  suspend?: boolean;
  status?: AutomationStatus;
  name?: string;
}

function scheduled({ cron = hourly, timeZone = "UTC", suspend = false, status, name = "nightly" }: Given): Automation {
  return anAutomation({
    metadata: { name, namespace: "demo", uid: "automation-uid", generation: 3 },
    spec: { suspend, trigger: { type: "Schedule", schedule: { cron, timeZone } } },
    status,
  });
}

function decide(at: string, given: Given = {}, slotRun?: Run): SlotDecision {
  const [automation, now] = [scheduled(given), new Date(`2026-05-04T${at}Z`)];
  return decideSlot({ automation, schedule: scheduleAt(automation, now), slotRun }, now);
}

const next = (time: string): AutomationStatus => ({ nextScheduleTime: `2026-05-04T${time}:00Z` });

describe("a schedule of every hour", () => {
  it.each([
    {
      name: "is not fired before its next slot was stored",
      at: "10:00:00",
      given: {},
      fires: undefined,
      then: "11:00",
    },
    { name: "waits", at: "09:59:59.999", given: { status: next("10:00") }, fires: undefined, then: "10:00" },
    { name: "is fired at its slot", at: "10:00:00", given: { status: next("10:00") }, fires: "10:00", then: "11:00" },
    {
      name: "is fired once for all missed slots, as the first",
      at: "13:20:00",
      given: { status: next("10:00") },
      fires: "10:00",
      then: "14:00",
    },
    {
      name: "is not fired while suspended",
      at: "13:20:00",
      given: { suspend: true, status: next("10:00") },
      fires: undefined,
      then: undefined,
    },
    {
      name: "makes up for nothing after a pause",
      at: "13:20:00",
      given: { status: { conditions: [paused("Suspended")] } },
      fires: undefined,
      then: "14:00",
    },
    {
      name: "is not fired while paused by failures",
      at: "10:00:00",
      given: { status: { ...next("10:00"), conditions: [paused("TooManyFailures")] } },
      fires: undefined,
      then: undefined,
    },
    {
      name: "is not fired by an edited schedule for the past",
      at: "13:20:00",
      given: { cron: "30 * * * *", status: next("10:00") },
      fires: undefined,
      then: "13:30",
    },
    {
      name: "is not fired in an edited zone for the past",
      at: "13:20:00",
      given: { timeZone: "Asia/Kolkata", status: next("10:00") },
      fires: undefined,
      then: "13:30",
    },
    {
      name: "follows an edit that brings the next slot nearer",
      at: "10:30:00",
      given: { cron: "*/15 * * * *", status: next("11:00") },
      fires: undefined,
      then: "10:45",
    },
    {
      name: "ignores a stored instant that is none",
      at: "10:30:00",
      given: { status: { nextScheduleTime: "soon" } },
      fires: undefined,
      then: "11:00",
    },
  ])("$name", ({ at, given, fires, then }) => {
    const { firing, times } = decide(at, given);
    expect(firing?.run.spec.trigger.time?.slice(11, 16)).toBe(fires);
    expect(times.nextScheduleTime?.slice(11, 16)).toBe(then);
    expect(times.lastScheduleTime?.slice(11, 16)).toBe(fires);
  });

  it("edited to every day at nine has its next slot tomorrow", () => {
    const { times, firing } = decide("10:30:00", { cron: "0 9 * * *", status: next("11:00") });
    expect(firing).toBeUndefined();
    expect(times.nextScheduleTime).toBe("2026-05-05T09:00:00Z");
  });

  it.each([
    { at: "10:59:59.999", waits: 1 },
    { at: "10:59:00.001", waits: 59_999 },
    { at: "10:59:00", waits: 60_000 },
    { at: "10:58:59", waits: 60_000 },
  ])("is looked at again $waits ms after $at", ({ at, waits }) => {
    expect(decide(at, { status: next("11:00") }).requeueMs).toBe(waits);
  });

  it("keeps the last slot that was fired, also while paused", () => {
    const status = { lastScheduleTime: "2026-05-04T09:00:00Z" };
    expect(decide("10:30:00", { status }).times.lastScheduleTime).toBe(status.lastScheduleTime);
    expect(decide("10:30:00", { suspend: true, status }).times).toEqual({ ...status, nextScheduleTime: undefined });
  });
});

describe("the Run of a slot", () => {
  const firing = (at: string, given: Given = {}) => decide(at, { status: next("10:00"), ...given }).firing;

  it("names automation, slot and nothing else", () => {
    expect(firing("10:00:00")?.run).toEqual({
      metadata: {
        name: "nightly-202605041000-6frhuubj",
        namespace: "demo",
        labels: { "runwright.dev/automation-uid": "automation-uid", "runwright.dev/automation": "nightly" },
      },
      spec: {
        automationRef: { name: "nightly", uid: "automation-uid", generation: 3 },
        trigger: { type: "Schedule", time: "2026-05-04T10:00:00Z" },
      },
    });
  });

  it("has the same name at every controller, whenever it looks", () => {
    expect(firing("13:20:00")?.run.metadata).toEqual(firing("10:00:00")?.run.metadata);
  });

  it.each([
    { name: "a".repeat(63), begins: `${"a".repeat(30)}-2026` },
    { name: `${"a".repeat(29)}-${"b".repeat(33)}`, begins: `${"a".repeat(29)}-2026` },
  ])("leaves room for its sessions' names: $begins", ({ name, begins }) => {
    const runName = firing("10:00:00", { name })?.run.metadata.name ?? "";
    expect(runName.startsWith(begins)).toBe(true);
    expect(runName.length).toBeLessThanOrEqual(59);
  });

  it.each([
    { at: "10:01:00", firedTime: undefined },
    { at: "10:01:00.001", firedTime: "2026-05-04T10:01:00.001Z" },
  ])("that is fired at $at says so when it was missed", ({ at, firedTime }) => {
    expect(firing(at)?.run.spec.trigger.firedTime).toBe(firedTime);
    expect(firing(at)?.events[0]?.reason).toBe(firedTime && "MissedSchedule");
  });
});

describe("a slot whose Run is stored already", () => {
  const firedAt = (at: string): Run => decide(at, { status: next("10:00") }).firing!.run;
  const stored = firedAt("10:00:00");

  it.each([
    { at: "10:00:00", then: "11:00" },
    { at: "10:59:59.999", then: "11:00" },
    { at: "11:00:00", then: "12:00" },
    { at: "13:20:00", then: "14:00" },
    { at: "15:00:00", then: "14:00" },
  ])("is not fired again at 13:20; after its firing at $at comes the slot of $then", ({ at, then }) => {
    const { firing, times, requeueMs } = decide("13:20:00", { status: next("10:00") }, firedAt(at));
    expect(firing).toBeUndefined();
    expect(times).toEqual({ lastScheduleTime: "2026-05-04T10:00:00Z", nextScheduleTime: `2026-05-04T${then}:00Z` });
    expect(requeueMs).toBe(0);
  });

  it("is given up with a warning when the Run is not the slot's", () => {
    const manual = { ...stored, spec: { ...stored.spec, trigger: { type: "Manual" as const } } };
    const { firing, times, events } = decide("13:20:00", { status: next("10:00") }, manual);
    expect(firing).toBeUndefined();
    expect(times.nextScheduleTime).toBe("2026-05-04T14:00:00Z");
    expect(events?.map(({ type, reason }) => [type, reason])).toEqual([["Warning", "NameTaken"]]);
  });
});

function paused(reason: string): NonNullable<AutomationStatus["conditions"]>[number] {
  return { type: "Paused", status: "True", reason, message: "", lastTransitionTime: "2026-05-04T09:50:00Z" };
}
