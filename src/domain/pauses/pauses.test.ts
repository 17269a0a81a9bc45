import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anAutomation } from "../../../test/support/builders.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import type { Automation } from "../../api/v1alpha1/automation.ts";
import { findCondition } from "../conditions.ts";
import { addStrike, clearStrikes, forgetRuns, tallyOf, type Tally } from "./tally.ts";
import { pausedCounts } from "../../controllers/metrics/state-counts.ts";
import { pauseReason, withTally } from "./pause-status.ts";

type Observed = Pick<Automation, "metadata" | "spec" | "status">;

const at = { now: new Date("2026-05-04T10:15:00.000Z"), generation: 1 };

function change(automation: Observed, update: (tally: Tally) => Tally): Observed {
  return { ...automation, status: withTally(automation, update(tallyOf(automation)), at) };
}

const unpaused: Observed = anAutomation({ spec: { suspend: false } });

let runs = 0;
const steps: Record<string, (automation: Observed) => Observed> = {
  // Failed, partially failed and timed-out Runs count alike; skipped ones and duplicates are never counted.
  F: (automation) => change(automation, (tally) => addStrike(tally, `run-${++runs}`)),
  C: (automation) => change(automation, (tally) => clearStrikes(tally, `run-${++runs}`)),
  S: (automation) => automation,
  // Resumed by annotation, as the next writer of the status finds it.
  R: ({ metadata, ...rest }) =>
    change(
      {
        ...rest,
        metadata: { ...metadata, annotations: { [annotations.resumeRequestedAt]: `request ${++runs}` } },
      },
      (tally) => tally,
    ),
  // Paused by hand, and the pause lifted by hand.
  "[": (automation) => change({ ...automation, spec: { ...automation.spec, suspend: true } }, (tally) => tally),
  "]": (automation) => change({ ...automation, spec: { ...automation.spec, suspend: false } }, (tally) => tally),
};

describe("sequences of outcomes", () => {
  it.each([
    { sequence: "FFF", counts: [1, 2, 3], end: "TooManyFailures" },
    { sequence: "FF", counts: [1, 2], end: undefined },
    { sequence: "FFCFF", counts: [1, 2, 0, 1, 2], end: undefined },
    { sequence: "FSFSF", counts: [1, 1, 2, 2, 3], end: "TooManyFailures" },
    { sequence: "FFFRF", counts: [1, 2, 3, 0, 1], end: undefined },
    { sequence: "FF[]F", counts: [1, 2, 2, 0, 1], end: undefined },
    { sequence: "FF[RF", counts: [1, 2, 2, 0, 1], end: "Suspended" },
    { sequence: "CF", counts: [0, 1], end: undefined },
    { sequence: "FFFC", counts: [1, 2, 3, 0], end: "TooManyFailures" },
    { sequence: "FFFF", counts: [1, 2, 3, 4], end: "TooManyFailures" },
    { sequence: "FFF[", counts: [1, 2, 3, 3], end: "TooManyFailures" },
    { sequence: "FFF[]", counts: [1, 2, 3, 3, 3], end: "TooManyFailures" },
    { sequence: "FFF[R", counts: [1, 2, 3, 3, 0], end: "Suspended" },
    { sequence: "FFF[R]", counts: [1, 2, 3, 3, 0, 0], end: undefined },
    { sequence: "FFFRCFFF", counts: [1, 2, 3, 0, 0, 1, 2, 3], end: "TooManyFailures" },
  ])("$sequence counts $counts and ends $end", ({ sequence, counts, end }) => {
    const seen: (number | undefined)[] = [];
    let automation = unpaused;
    for (const step of sequence) {
      automation = steps[step]!(automation);
      seen.push(tallyOf(automation).consecutiveFailures);
    }
    expect(seen).toEqual(counts);
    expect(pauseReason(automation)).toBe(end);
  });
});

describe("a Run's outcome", () => {
  const none: Tally = { consecutiveFailures: 0, counted: [], pausedByFailures: false, resumeHandledAt: undefined };

  it("is one strike however often it is counted", () => {
    const once = addStrike(none, "a");
    expect(addStrike(once, "a")).toBe(once);
    expect(addStrike(addStrike(once, "b"), "a").consecutiveFailures).toBe(2);
  });

  it("starts the count anew once, so that a later strike survives its repetition", () => {
    const cleared = clearStrikes({ ...none, consecutiveFailures: 2 }, "done");
    const struck = addStrike(cleared, "later");
    expect(clearStrikes(struck, "done").consecutiveFailures).toBe(1);
  });

  it("needs no write when there is nothing to clear", () => {
    expect(clearStrikes(none, "done")).toBe(none);
  });

  it("is forgotten when the Run's own verdict is written", () => {
    const tally = addStrike(addStrike(none, "a"), "b");
    expect(forgetRuns(tally, (uid) => uid === "a").counted).toEqual(["b"]);
  });

  it("is remembered for the last 64 Runs at most", () => {
    const tally = Array.from({ length: 65 }, (_, index) => `run-${index}`).reduce(addStrike, none);
    expect(tally.counted).toHaveLength(64);
    expect(tally.counted[0]).toBe("run-1");
  });

  it("pauses exactly when three in a row failed", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (outcomes) => {
        const tally = outcomes.reduce<Tally>(
          (so, failed, index) => (failed ? addStrike(so, `r${index}`) : clearStrikes(so, `r${index}`)),
          none,
        );
        expect(tally.pausedByFailures).toBe(
          outcomes
            .map((failed) => (failed ? "F" : "C"))
            .join("")
            .includes("FFF"),
        );
      }),
    );
  });
});

describe("a request to resume", () => {
  const paused = ["F", "F", "F"].reduce((automation, step) => steps[step]!(automation), unpaused);
  const requested = (value: string): Observed => ({
    ...paused,
    metadata: { ...paused.metadata, annotations: { [annotations.resumeRequestedAt]: value } },
  });

  it("counts before anybody acted on it", () => {
    expect(pauseReason(paused)).toBe("TooManyFailures");
    expect(pauseReason(requested("2026-05-04"))).toBeUndefined();
  });

  it("is acted on once: the same value does not lift the next pause", () => {
    const resumed = change(requested("2026-05-04"), (tally) => tally);
    expect(resumed.status).toMatchObject({ resumeHandledAt: "2026-05-04", consecutiveFailures: 0 });
    const again = ["F", "F", "F"].reduce((automation, step) => steps[step]!(automation), resumed);
    expect(pauseReason(again)).toBe("TooManyFailures");
  });

  it("may be of any length", () => {
    const resumed = change(requested("x".repeat(1000)), (tally) => tally);
    expect(resumed.status?.resumeHandledAt).toHaveLength(64);
    expect(tallyOf(resumed).consecutiveFailures).toBe(0);
    expect(pauseReason(["F", "F", "F"].reduce((automation, step) => steps[step]!(automation), resumed))).toBeDefined();
  });
});

it("says what to do in the condition", () => {
  const paused = ["F", "F", "F"].reduce((automation, step) => steps[step]!(automation), unpaused);
  expect(findCondition(paused.status?.conditions, "Paused")).toMatchObject({
    status: "True",
    reason: "TooManyFailures",
    message: expect.stringContaining("runwright.dev/resume-requested-at") as string,
  });
});

it("counts paused automations by reason", () => {
  const suspended = change(
    {
      ...unpaused,
      spec: { ...unpaused.spec, suspend: true },
    },
    (tally) => tally,
  );
  const failed = ["F", "F", "F"].reduce((automation, step) => steps[step]!(automation), unpaused);
  const going = change(unpaused, (tally) => tally);
  const counts = pausedCounts([suspended, failed, failed, going, {}]);
  expect(Object.fromEntries(counts)).toEqual({ Suspended: 1, TooManyFailures: 2 });
});
