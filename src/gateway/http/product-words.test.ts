import { describe, expect, it } from "vitest";

import { aRun } from "../../../test/support/builders.ts";
import { type Condition, reasons, type Run } from "../../api/v1alpha1/index.ts";
import { invocationState, reasonsInWords, reasonWord } from "./product-words.ts";

interface Facts {
  status?: "True" | "False" | "Unknown";
  reason?: string;
  cause?: string;
  started?: boolean;
}

function runWith({ status, reason = "Running", cause, started = true }: Facts): Run {
  const at = "2026-05-04T10:15:00.000Z";
  const condition = (type: string, one: string): Condition => ({
    type,
    status: type === "Stalled" || status === undefined ? "True" : status,
    reason: one,
    message: "",
    lastTransitionTime: at,
  });
  const conditions = [
    ...(status ? [condition("Succeeded", reason)] : []),
    ...(cause === undefined ? [] : [condition("Stalled", cause)]),
  ];
  return aRun({ status: { conditions, ...(started ? { startTime: at } : {}) } });
}

describe("a Run in the words of HTTP bodies", () => {
  it.each([
    { name: "unseen", facts: { started: false }, want: ["starting", {}] },
    { name: "waiting", facts: { status: "Unknown", reason: "Queued", started: false }, want: ["starting", {}] },
    { name: "going", facts: { status: "Unknown" }, want: ["running", {}] },
    { name: "completed", facts: { status: "True", reason: "Completed" }, want: ["completed", {}] },
    {
      name: "partly failed",
      facts: { status: "False", reason: "PartiallyFailed", cause: "PartiallyFailed" },
      want: ["partial_failed", { failureReason: "partially_failed" }],
    },
    {
      name: "failed by the agent",
      facts: { status: "False", reason: "Failed", cause: "Failed" },
      want: ["failed", { failureReason: "failed" }],
    },
    {
      name: "out of time",
      facts: { status: "False", reason: "ExecutionTimeout", cause: "ExecutionTimeout" },
      want: ["failed", { failureReason: "execution_timeout" }],
    },
    {
      name: "skipped for another one",
      facts: { status: "False", reason: "Skipped", cause: "ConcurrentRunActive", started: false },
      want: ["skipped", { skipReason: "concurrent_run_active" }],
    },
    {
      name: "skipped without a cause",
      facts: { status: "False", reason: "Skipped", started: false },
      want: ["skipped", { skipReason: "skipped" }],
    },
  ] as const)("$name", ({ facts, want }) => {
    const run = runWith(facts);
    expect([invocationState(run), reasonsInWords(run)]).toEqual(want);
  });

  it("has a word of its own for every reason", () => {
    const words = Object.values(reasons).map(reasonWord);
    for (const word of words) expect(word).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(new Set(words).size).toBe(words.length);
  });
});
