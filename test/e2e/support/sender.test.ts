import { describe, expect, it } from "vitest";

import { requireAnswer } from "./sender.ts";

const accepted = { what: "a delivery", status: 200, body: { ok: true, triggered: 1, skipped: 0, steered: 0 } };

describe("requireAnswer", () => {
  it("gives back the answer that is wanted", () => {
    expect(requireAnswer(accepted, { triggered: 1, skipped: 0 })).toBe(accepted);
    expect(requireAnswer({ ...accepted, status: 401, body: {} }, 401).status).toBe(401);
  });

  it.each([
    { name: "other counts", answer: accepted, want: { triggered: 0, skipped: 1 } },
    { name: "another status", answer: accepted, want: 401 },
    {
      name: "the counts with another status",
      answer: { ...accepted, status: 202 },
      want: { triggered: 1, skipped: 0 },
    },
    {
      name: "a fifth field",
      answer: { ...accepted, body: { ...accepted.body, run: "r" } },
      want: { triggered: 1, skipped: 0 },
    },
  ])("refuses $name", ({ answer, want }) => {
    expect(() => requireAnswer(answer, want)).toThrow("should be answered");
  });
});
