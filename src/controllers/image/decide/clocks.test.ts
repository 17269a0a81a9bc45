import { describe, expect, it } from "vitest";
import { aSandboxClass } from "../../../../test/support/builders.ts";
import { earliest, hasPassed } from "../../../domain/clocks/deadline.ts";
import { effectiveSettings } from "../../../domain/settings/effective.ts";
import { boundedBuildTime, buildDeadlines, buildTimeoutSeconds } from "./clocks.ts";

describe("the time for clone and setup.sh", () => {
  it.each([
    { name: "built in", set: 1_800, max: undefined, want: 1_800 },
    { name: "the most", set: 3_600, max: undefined, want: 3_600 },
    { name: "in a class of 45 minutes", set: 3_600, max: 2_700_000, want: 2_100 },
    { name: "less than the class leaves", set: 1_800, max: 2_700_000, want: 1_800 },
    { name: "short", set: 600, max: undefined, want: 600 },
    { name: "in a class of 601 s", set: 1_800, max: 601_000, want: 1 },
    { name: "in a class of 600 s", set: 1_800, max: 600_000, want: undefined },
    { name: "in a class of 1 s", set: 1_800, max: 1_000, want: undefined },
  ])("$name", ({ set, max, want }) => {
    expect(buildTimeoutSeconds(set, max)).toBe(want);
  });
});

describe("a time for clone and setup.sh that the class bounds is said", () => {
  const above = (seconds: number, origin: string, maxMs: number, left: number): string =>
    `buildTimeoutSeconds ${seconds} (${origin}) is above maxSandboxTimeoutMs ${maxMs} (SandboxClass/short) less 600 s for storing the image, so ${left} counts`;

  it.each<{ name: string; set?: number; max?: number; want: string[] }>([
    { name: "a second below the bound", set: 2_099, max: 2_700_000, want: [] },
    { name: "at the bound", set: 2_100, max: 2_700_000, want: [] },
    {
      name: "a second above it",
      set: 2_101,
      max: 2_700_000,
      want: [above(2_101, "Repository/web", 2_700_000, 2_100)],
    },
    { name: "without a bound", set: 3_600, want: [] },
    { name: "where the class leaves nothing, which is refused", set: 3_600, max: 600_000, want: [] },
    { name: "the built-in one, which is reduced silently", max: 2_000_000, want: [] },
  ])("$name", ({ set, max, want }) => {
    const sandboxClass = aSandboxClass("short", { maxSandboxTimeoutMs: max });
    const settings = set === undefined ? undefined : { buildTimeoutSeconds: set };
    const effective = effectiveSettings({}, sandboxClass, [{ origin: "Repository/web", settings }]);
    expect(boundedBuildTime(effective, sandboxClass)).toEqual(want);
  });

  it("with the place where it was set", () => {
    const sandboxClass = aSandboxClass("short", { maxSandboxTimeoutMs: 660_000 });
    const effective = effectiveSettings({ buildTimeoutSeconds: 3_600 }, sandboxClass, []);
    expect(boundedBuildTime(effective, sandboxClass)).toEqual([above(3_600, "Operator", 660_000, 60)]);
  });
});

const createTime = "2026-05-04T10:00:00.000Z";
const startedAt = "2026-05-04T10:00:05.000Z";
const record = { attempt: 1, podName: "p", podUID: "u", createTime };
const at = (ms: number): Date => new Date(Date.parse(startedAt) + ms);

describe("the clocks of a build", () => {
  const build = { step: "Building" as const, timeoutSeconds: 1_800 };
  const running = { ...record, containerStartTime: startedAt };
  const limits = { connectHeldUntilMs: undefined, bootTimeoutMs: 1_800_000 };
  const reasonAt = (facts: Parameters<typeof buildDeadlines>[0], now: Date): string | undefined => {
    const first = earliest(buildDeadlines(facts));
    return first && hasPassed(first, now) ? first.reason : undefined;
  };

  it.each([
    {
      name: "connect",
      facts: { build, record: running, connected: false },
      limitMs: 240_000,
      reason: "ConnectTimeout",
    },
    {
      name: "clone and setup.sh",
      facts: { build, record: running, connected: true },
      limitMs: 2_400_000,
      reason: "BuildTimeout",
    },
    {
      name: "storing",
      facts: { build: { ...build, step: "Saving" as const }, record: running, connected: true },
      limitMs: 2_400_000,
      reason: "FinalizationTimeout",
    },
  ])("end it for $name at its instant", ({ facts, limitMs, reason }) => {
    expect(reasonAt({ ...facts, ...limits }, at(limitMs - 1))).toBeUndefined();
    expect(reasonAt({ ...facts, ...limits }, at(limitMs))).toBe(reason);
    expect(reasonAt({ ...facts, ...limits }, at(limitMs + 1))).toBe(reason);
  });

  it("end one whose container does not start, by the boot budget", () => {
    const facts = { build, record, connected: false, ...limits };
    const after = (ms: number): Date => new Date(Date.parse(createTime) + ms);
    expect(reasonAt(facts, after(1_799_999))).toBeUndefined();
    expect(reasonAt(facts, after(1_800_000))).toBe("BootTimeout");
  });

  it("let the connect watchdog wait while it is held", () => {
    const facts = { build, record: running, connected: false, ...limits, connectHeldUntilMs: at(240_001).getTime() };
    expect(reasonAt(facts, at(240_000))).toBeUndefined();
  });
});
