import { expect, it } from "vitest";
import { annotations, type Automation } from "../../api/v1alpha1/index.ts";
import { pauseReason, withTally } from "../../domain/pauses/pause-status.ts";
import { tallyOf } from "../../domain/pauses/tally.ts";
import { decideFollow } from "./decide/follow.ts";
import { decideStart } from "./decide/start.ts";
import type { RunDecision } from "./effects.ts";
import type { Child } from "./facts.ts";
import { aChild, anAutomation, aRun, completed, failed, followFacts, now, startFacts } from "./fake-facts.ts";

let runs = 0;

/** The automation as the decision's writes leave it. */
function written(automation: Automation, { effects }: RunDecision): Automation {
  const write = effects.findLast((effect) => effect.kind === "writeAutomation");
  return write ? { ...automation, status: write.status } : automation;
}

function ended(automation: Automation, children: Child[], at = now): Automation {
  const facts = followFacts(children, { automation });
  const uid = `uid-${++runs}`;
  const run = { ...facts.run, metadata: { ...facts.run.metadata, uid } };
  return written(automation, decideFollow({ ...facts, run, runs: [run] }, at));
}

function rewritten(automation: Automation): Automation {
  return { ...automation, status: withTally(automation, tallyOf(automation), { now, generation: 3 }) };
}

const steps: Record<string, (automation: Automation) => Automation> = {
  C: (automation) => ended(automation, [aChild("run-0", completed), aChild("run-1", completed)]),
  F: (automation) => ended(automation, [aChild("run-0", failed)]),
  P: (automation) => ended(automation, [aChild("run-0", completed), aChild("run-1", failed)]),
  T: (automation) => ended(automation, [aChild("run-0")], new Date(now.getTime() + 6_060_000)),
  S: (automation) => {
    const facts = startFacts({ automation, run: aRun({ type: "Manual" }), otherActive: "other" });
    return written(automation, decideStart(facts, now, { settings: {}, executionTimeoutMs: 1 }));
  },
  /** A duplicate is answered by the ingress and stores nothing. */
  D: (automation) => automation,
  R: (automation) => {
    const requested = { [annotations.resumeRequestedAt]: `request ${++runs}` };
    return rewritten({ ...automation, metadata: { ...automation.metadata, annotations: requested } });
  },
  "[": (automation) => rewritten({ ...automation, spec: { ...automation.spec, suspend: true } }),
  "]": (automation) => rewritten({ ...automation, spec: { ...automation.spec, suspend: false } }),
};

it.each([
  { sequence: "FFF", counts: [1, 2, 3], end: "TooManyFailures" },
  { sequence: "FFCFF", counts: [1, 2, 0, 1, 2], end: undefined },
  { sequence: "FPF", counts: [1, 2, 3], end: "TooManyFailures" },
  { sequence: "PPP", counts: [1, 2, 3], end: "TooManyFailures" },
  { sequence: "FSFSF", counts: [1, 1, 2, 2, 3], end: "TooManyFailures" },
  { sequence: "FDTF", counts: [1, 1, 2, 3], end: "TooManyFailures" },
  { sequence: "TTT", counts: [1, 2, 3], end: "TooManyFailures" },
  { sequence: "FFP", counts: [1, 2, 3], end: "TooManyFailures" },
  { sequence: "FFFRF", counts: [1, 2, 3, 0, 1], end: undefined },
  { sequence: "FF[]F", counts: [1, 2, 2, 0, 1], end: undefined },
  { sequence: "CF", counts: [0, 1], end: undefined },
  { sequence: "FFFC", counts: [1, 2, 3, 0], end: "TooManyFailures" },
  { sequence: "FFFF", counts: [1, 2, 3, 4], end: "TooManyFailures" },
  { sequence: "SSS", counts: [0, 0, 0], end: undefined },
  { sequence: "PC", counts: [1, 0], end: undefined },
])("Runs that end as $sequence count $counts, and then it is paused: $end", ({ sequence, counts, end }) => {
  const seen: number[] = [];
  let automation = anAutomation();
  for (const step of sequence) {
    automation = steps[step]!(automation);
    seen.push(tallyOf(automation).consecutiveFailures);
  }
  expect(seen).toEqual(counts);
  expect(pauseReason(automation)).toBe(end);
});
