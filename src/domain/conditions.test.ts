import { expect, it } from "vitest";
import { findCondition, withMarks, withoutConditions } from "./conditions.ts";

const first = { now: new Date("2026-05-04T10:15:00.000Z"), generation: 1 };
const later = { now: new Date("2026-05-04T11:15:00.000Z"), generation: 2 };
const ready = { type: "Ready", status: "True", reason: "Ready", message: "The automation is ready" } as const;

it("adds a condition with the instant and the generation", () => {
  const conditions = withMarks(undefined, [ready], first);
  expect(conditions).toEqual([{ ...ready, lastTransitionTime: "2026-05-04T10:15:00.000Z", observedGeneration: 1 }]);
  expect(findCondition(conditions, "Ready")?.status).toBe("True");
});

it("keeps the time of the last transition while the status stays", () => {
  const changed = { ...ready, reason: "Other", message: "For another reason" };
  const conditions = withMarks(withMarks(undefined, [ready], first), [changed], later);
  expect(findCondition(conditions, "Ready")).toEqual({
    ...changed,
    lastTransitionTime: "2026-05-04T10:15:00.000Z",
    observedGeneration: 2,
  });
});

it("moves it when the status changes, and leaves other conditions and their order alone", () => {
  const before = withMarks(undefined, [ready, { ...ready, type: "Other" }], first);
  const after = withMarks(before, [{ ...ready, status: "False" }], later);
  expect(after.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual([
    ["Ready", "False", "2026-05-04T11:15:00.000Z"],
    ["Other", "True", "2026-05-04T10:15:00.000Z"],
  ]);
  expect(before[0]?.status).toBe("True");
});

it("takes conditions out", () => {
  const conditions = withMarks(undefined, [ready, { ...ready, type: "Stalled" }], first);
  expect(withoutConditions(conditions, ["Stalled", "Absent"]).map(({ type }) => type)).toEqual(["Ready"]);
  expect(findCondition(withoutConditions(undefined, ["Ready"]), "Ready")).toBeUndefined();
});
