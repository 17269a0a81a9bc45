import { describe, expect, it } from "vitest";
import type { Run } from "../../../api/v1alpha1/index.ts";
import { aChild, aRun, created, failed, kinds, now, only, verdictOf } from "../fake-facts.ts";
import { skippedStatus } from "../lifecycle.ts";
import { decideAfter } from "./after.ts";

describe("a Run that has ended", () => {
  function ended(cause: string, completionTime = now.toISOString()): Run {
    const run = aRun();
    return { ...run, status: { ...skippedStatus(run, cause, "", now), completionTime } };
  }

  it.each([
    { cause: "AutomationDeleted", agoMs: 3_599_999, want: [], requeueMs: 1 },
    { cause: "AutomationDeleted", agoMs: 3_600_000, want: ["deleteRun"], requeueMs: undefined },
    { cause: "AutomationReplaced", agoMs: 0, want: [], requeueMs: 3_600_000 },
    { cause: "AutomationNotFound", agoMs: 0, want: [], requeueMs: 3_600_000 },
    { cause: "AutomationPaused", agoMs: 0, want: ["deleteRun"], requeueMs: undefined },
  ])(
    "is kept for an hour when it could not start for want of its automation: $cause, $agoMs",
    ({ cause, agoMs, want, requeueMs }) => {
      const run = ended(cause, new Date(now.getTime() - agoMs).toISOString());
      const decision = decideAfter({ run, isAutomationGone: true, isStored: true, prompts: [] }, now);
      expect([kinds(decision), decision.requeueMs]).toEqual([want, requeueMs]);
    },
  );

  it.each([
    { name: "whose automation is gone", cause: "ExecutionTimeout" },
    { name: "that never had one, an hour later", cause: "AutomationDeleted" },
  ])("$name stays until the archive has it", ({ cause }) => {
    const run = ended(cause, new Date(now.getTime() - 3_600_000).toISOString());
    const decision = decideAfter({ run, isAutomationGone: true, isStored: false, prompts: [] }, now);
    expect(decision).toEqual({ effects: [], requeueMs: 10_000 });
  });

  const [late] = [aChild("run-0", failed).prompt!].map((prompt) => ({
    ...prompt,
    status: { ...prompt.status, lateResult: { branch: "late" } },
  }));

  it("keeps a late result as a note, once", () => {
    const run = ended("ExecutionTimeout");
    const decision = decideAfter({ run, isAutomationGone: false, isStored: true, prompts: [late!] }, now);
    expect(only(decision, "writeRun").status).toMatchObject({ lateResult: { branch: "late" } });
    expect(verdictOf(decision)).toEqual(["False", "Skipped", "ExecutionTimeout"]);
    const noted = { ...run, status: only(decision, "writeRun").status };
    expect(kinds(decideAfter({ run: noted, isAutomationGone: false, isStored: true, prompts: [late!] }, now))).toEqual(
      [],
    );
  });

  it("follows the generation that it got when its payload was taken out", () => {
    const run = ended("ExecutionTimeout");
    const emptied = { ...run, metadata: { ...run.metadata, generation: 2 } };
    const decision = decideAfter({ run: emptied, isAutomationGone: false, isStored: true, prompts: [] }, now);
    expect(only(decision, "writeRun").status.observedGeneration).toBe(2);
  });

  it("keeps its verdict and nothing else of what it came to when its payload was taken out", () => {
    const run = ended("ExecutionTimeout");
    const status = {
      ...run.status,
      startTime: created,
      took: "14m",
      sessions: [{ name: "run-0" }],
      result: { branch: "b" },
    };
    const emptied = { ...run, metadata: { ...run.metadata, generation: 2 }, status };
    const decision = decideAfter({ run: emptied, isAutomationGone: false, isStored: true, prompts: [late!] }, now);
    const { conditions, completionTime } = run.status!;
    const want = { observedGeneration: 2, startTime: created, completionTime, took: "14m", conditions };
    expect(only(decision, "writeRun").status).toEqual(want);
    const settled = { ...emptied, status: only(decision, "writeRun").status };
    expect(kinds(decideAfter({ run: settled, isAutomationGone: false, isStored: true, prompts: [] }, now))).toEqual([]);
  });
});
