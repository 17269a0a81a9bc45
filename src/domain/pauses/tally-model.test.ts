import fc from "fast-check";
import { expect, it } from "vitest";
import { anAutomation } from "../../../test/support/builders.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import type { Automation } from "../../api/v1alpha1/automation.ts";
import { addStrike, clearStrikes, forgetRuns, tallyOf, type Tally } from "./tally.ts";
import { pauseReason, withTally } from "./pause-status.ts";

type Observed = Pick<Automation, "metadata" | "spec" | "status">;

/** What the product says of failures, without objects, crashes and retries. */
interface Model {
  failures: number;
  isPaused: boolean;
  isSuspended: boolean;
}

type Step =
  /** A Run ends; crashes and conflicts have it counted several times before its verdict is written. */
  | { kind: "ended"; hasFailed: boolean; times: number }
  | { kind: "skipped" }
  | { kind: "resumed" }
  | { kind: "suspended"; suspend: boolean };

const at = { now: new Date("2026-05-04T10:15:00.000Z"), generation: 1 };

function expected(model: Model, step: Step): Model {
  switch (step.kind) {
    case "skipped":
      return model;
    case "resumed":
      return { ...model, failures: 0, isPaused: false };
    case "ended": {
      const failures = step.hasFailed ? model.failures + 1 : 0;
      return { ...model, failures, isPaused: model.isPaused || failures >= 3 };
    }
    case "suspended": {
      // Lifting a pause by hand starts the count anew, unless failures have paused it as well.
      const isLifted = model.isSuspended && !step.suspend && !model.isPaused;
      return { ...model, isSuspended: step.suspend, failures: isLifted ? 0 : model.failures };
    }
  }
}

function write(automation: Observed, update: (tally: Tally) => Tally): Observed {
  return { ...automation, status: withTally(automation, update(tallyOf(automation)), at) };
}

function real(automation: Observed, step: Step, name: string): Observed {
  switch (step.kind) {
    case "skipped":
      return automation;
    case "resumed": {
      const metadata = { ...automation.metadata, annotations: { [annotations.resumeRequestedAt]: name } };
      return write({ ...automation, metadata }, (tally) => tally);
    }
    case "suspended":
      return write({ ...automation, spec: { ...automation.spec, suspend: step.suspend } }, (tally) => tally);
    case "ended": {
      const count = step.hasFailed ? addStrike : clearStrikes;
      const counted = Array.from({ length: step.times }).reduce<Observed>(
        (so) => write(so, (tally) => count(tally, name)),
        automation,
      );
      return write(counted, (tally) => forgetRuns(tally, (uid) => uid === name));
    }
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("ended"),
      hasFailed: fc.boolean(),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "skipped" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "resumed" as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("suspended"), suspend: fc.boolean() }) },
);

it("count and pause are as the product says, whatever happens and however often a Run is counted", () => {
  const unpaused = anAutomation({ spec: { suspend: false } });
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 30 }), (sequence) => {
      let model: Model = { failures: 0, isPaused: false, isSuspended: false };
      let automation: Observed = unpaused;
      for (const [index, step] of sequence.entries()) {
        model = expected(model, step);
        automation = real(automation, step, `run-${index}`);
        const { consecutiveFailures, counted } = tallyOf(automation);
        expect({ step: index, consecutiveFailures, counted }).toEqual({
          step: index,
          consecutiveFailures: model.failures,
          counted: [],
        });
        const pause = model.isPaused ? "TooManyFailures" : model.isSuspended ? "Suspended" : undefined;
        expect(pauseReason(automation)).toBe(pause);
      }
    }),
    { numRuns: 500 },
  );
});
