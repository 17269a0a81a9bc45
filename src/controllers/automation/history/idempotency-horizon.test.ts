import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aRun, aVerdict } from "../../../../test/support/builders.ts";
import type { Run } from "../../../api/v1alpha1/run.ts";
import { idempotencyHorizon, pruneRuns } from "./history.ts";

const startMs = Date.parse("2026-05-04T10:00:00.000Z");
const limits = {
  successfulLimit: 1,
  failedLimit: 1,
  skippedLimit: 1,
  ttlSeconds: 50,
  idempotencySeconds: 100,
  idempotencyKeys: 3,
};

function at(ms: number): Date {
  return new Date(startMs + ms);
}

function endedRun(name: string, createdMs: number, idempotencyKey?: string): Run {
  const time = at(createdMs).toISOString();
  return aRun({
    metadata: { name, creationTimestamp: time },
    spec: { trigger: { type: "Webhook", payload: "", idempotencyKey } },
    status: { completionTime: time, conditions: [aVerdict(true, "Completed", at(createdMs))] },
  });
}

describe("how far back idempotency keys are known", () => {
  it.each([
    { name: "as long as keys live", stored: undefined, removed: [], wantMs: -100_000 },
    { name: "no further back than the stored horizon", stored: -60_000, removed: [], wantMs: -60_000 },
    {
      name: "as long as keys live where the stored horizon is earlier",
      stored: -160_000,
      removed: [],
      wantMs: -100_000,
    },
    { name: "back to the newest forgotten one", stored: -60_000, removed: ["k", "l"], wantMs: -20_000 },
    { name: "whatever unkeyed Runs go", stored: undefined, removed: [undefined], wantMs: -100_000 },
  ])("is $name", ({ stored, removed, wantMs }) => {
    const runs = removed.map((key, index) => endedRun(`r${index}`, -20_000 - 1_000 * index, key));
    const before = stored === undefined ? undefined : at(stored).toISOString();
    const horizon = idempotencyHorizon({ stored: before, removed: runs, limits }, at(0));
    expect(horizon).toBe(at(wantMs).toISOString());
  });

  it("takes in every key that is forgotten, whatever comes and however limits change", () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 60_000 }),
      isKeyed: fc.boolean(),
      idempotencyKeys: fc.integer({ min: 0, max: 4 }),
      idempotencySeconds: fc.integer({ min: 60, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let runs: Run[] = [];
        let horizon: string | undefined;
        let nowMs = 0;
        const forgotten: Run[] = [];
        for (const [index, { afterMs, isKeyed, ...changed }] of steps.entries()) {
          nowMs += afterMs;
          runs = [...runs, endedRun(`r${index}`, nowMs, isKeyed ? `${index}` : undefined)];
          const { remove } = pruneRuns(runs, { ...limits, ...changed }, at(nowMs));
          horizon = idempotencyHorizon({ stored: horizon, removed: remove, limits: changed }, at(nowMs));
          runs = runs.filter((run) => !remove.includes(run));
          forgotten.push(...remove.filter(({ spec }) => spec.trigger.idempotencyKey !== undefined));
          for (const { metadata } of forgotten) {
            expect(Date.parse(metadata.creationTimestamp!)).toBeLessThanOrEqual(Date.parse(horizon));
          }
        }
      }),
    );
  });
});
