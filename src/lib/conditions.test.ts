import { describe, expect, it } from "vitest";
import { type Condition, findCondition, removeCondition, setCondition } from "./conditions.ts";

const now = new Date("2026-05-04T10:15:00.123Z");
const ready: Condition = {
  type: "Ready",
  status: "True",
  reason: "Valid",
  message: "all is well",
  lastTransitionTime: "2026-05-01T00:00:00Z",
  observedGeneration: 1,
};
const stalled: Condition = { ...ready, type: "Stalled", status: "False" };

describe("setCondition", () => {
  it("dates a new condition to the second", () => {
    const verdict = { type: "Ready", status: "False", reason: "Broken", message: "it broke" } as const;
    expect(setCondition(undefined, verdict, { now, generation: 3 })).toEqual([
      { ...verdict, lastTransitionTime: "2026-05-04T10:15:00Z", observedGeneration: 3 },
    ]);
  });

  it.each([
    { name: "keeps the time while the status stays", status: "True" as const, want: "2026-05-01T00:00:00Z" },
    { name: "moves the time with the status", status: "Unknown" as const, want: "2026-05-04T10:15:00Z" },
  ])("$name", ({ status, want }) => {
    const verdict = { type: "Ready", status, reason: "Other", message: "else" };
    const [first, second] = setCondition([ready, stalled], verdict, { now, generation: 2 });
    expect(first).toEqual({ ...verdict, lastTransitionTime: want, observedGeneration: 2 });
    expect(second).toBe(stalled);
  });

  it("says no generation when there is none to say", () => {
    const { type, status, reason, message } = ready;
    const verdict = { type, status, reason, message };
    expect(setCondition([], verdict, { now, generation: undefined })[0]).not.toHaveProperty("observedGeneration");
  });
});

it("finds and removes a condition by its type", () => {
  expect(findCondition([stalled, ready], "Ready")).toBe(ready);
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect(removeCondition([stalled, ready], "Stalled")).toEqual([ready]);
  expect(removeCondition(undefined, "Stalled")).toEqual([]);
});
