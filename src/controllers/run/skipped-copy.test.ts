import { describe, expect, it } from "vitest";

import { annotations, type Run } from "../../api/v1alpha1/index.ts";
import { skippedBefore } from "../../domain/runs/skipped-run.ts";
import { decideAfter } from "./decide/after.ts";
import { decideStart } from "./decide/start.ts";
import { aRun, kinds, now, only, startFacts, verdictOf } from "./fake-facts.ts";
import { skippedStatus } from "./lifecycle.ts";
import { makeSkippedCopy } from "./skipped-copy.ts";

const operator = { settings: {}, executionTimeoutMs: 60_000 };
const trigger = { type: "Webhook" as const, payload: '{"a":1}', idempotencyKey: "k", deliveryID: "d" };

function skippedRun(cause: string): Run {
  const run = aRun(trigger);
  return { ...run, status: skippedStatus(run, cause, "why", now) };
}

/** The copy as the API server stores it. */
function storedCopy(of: Run, uid = "copy-uid"): Run {
  const copy = JSON.parse(JSON.stringify(makeSkippedCopy(of))) as Run;
  return { ...copy, metadata: { ...copy.metadata, uid, generation: 1, creationTimestamp: now.toISOString() } };
}

it.each([
  { cause: "StartDeadlineExceeded", want: ["copySkipped", "deleteRun"] },
  { cause: "AutomationPaused", want: ["copySkipped", "deleteRun"] },
  { cause: "InvalidSpec", want: ["copySkipped", "deleteRun"] },
  { cause: "AutomationDeleted", want: [] },
])("a Run that was skipped gives its key back: $cause", ({ cause, want }) => {
  expect(
    kinds(decideAfter({ run: skippedRun(cause), isAutomationGone: false, isStored: true, prompts: [] }, now)),
  ).toEqual(want);
});

it("a Run without a key stays", () => {
  const run = aRun({ ...trigger, idempotencyKey: undefined });
  const skipped = { ...run, status: skippedStatus(run, "AutomationPaused", "why", now) };
  expect(decideAfter({ run: skipped, isAutomationGone: false, isStored: true, prompts: [] }, now).effects).toEqual([]);
});

it("has payload and delivery in a copy without the key, whose name follows from the Run", () => {
  const copy = makeSkippedCopy(skippedRun("AutomationPaused"));
  expect(copy.spec.trigger).toEqual({ ...aRun(trigger).spec.trigger, idempotencyKey: undefined });
  expect(copy.metadata.name).toMatch(/^triage-[a-z2-7]{10}$/);
  expect(makeSkippedCopy(skippedRun("AutomationPaused"))).toEqual(copy);
  expect(copy.metadata.labels).toEqual(aRun().metadata.labels);
});

it.each([
  { payload: '{"a":1}', idempotencyKey: "72d3162e", kept: "72d3162e" },
  { payload: '{"idempotencyKey":"k"}', idempotencyKey: "k", kept: undefined },
  { payload: "no JSON", idempotencyKey: "k", kept: "k" },
])("keeps for a replay the key $idempotencyKey of $payload: $kept", ({ payload, idempotencyKey, kept }) => {
  const run = aRun({ ...trigger, payload, idempotencyKey });
  const copy = makeSkippedCopy({ ...run, status: skippedStatus(run, "AutomationPaused", "why", now) });
  expect(skippedBefore(copy)?.idempotencyKey).toBe(kept);
});

describe("a copy whose annotations the API server has room for", () => {
  const most = 262_144;
  const bytesOf = ({ metadata }: Run): number =>
    Object.entries(metadata.annotations ?? {}).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);

  function copyOf(idempotencyKey: string, own: Record<string, string> = {}): Run {
    const run = aRun({ ...trigger, payload: "{}", idempotencyKey });
    const skipped = { ...run, status: skippedStatus(run, "AutomationPaused", "why", now) };
    return makeSkippedCopy({ ...skipped, metadata: { ...run.metadata, annotations: own } });
  }

  it.each([
    { name: "plain characters, the most", character: "k", count: 65_536, isKept: true },
    { name: "control characters, the most outside a payload", character: "\u0001", count: 4_096, isKept: true },
    { name: "control characters, as a person may give them", character: "\u0001", count: 65_536, isKept: false },
  ])("has a key of $count $name: $isKept", ({ character, count, isKept }) => {
    const key = character.repeat(count);
    const copy = copyOf(key, { note: "of a person" });
    expect(skippedBefore(copy)).toMatchObject({ cause: "AutomationPaused", message: "AutomationPaused: why" });
    expect(skippedBefore(copy)?.idempotencyKey).toBe(isKept ? key : undefined);
    expect(copy.metadata.annotations).toHaveProperty("note");
    expect(bytesOf(copy)).toBeLessThanOrEqual(most);
  });

  const room = most - bytesOf(copyOf("k")) - "note".length;
  it.each([
    [room - 1, true],
    [room, true],
    [room + 1, false],
  ])("has an annotation of %d bytes beside the verdict: %s", (length, isKept) => {
    const copy = copyOf("k", { note: "n".repeat(length) });
    expect(copy.metadata.annotations?.note !== undefined).toBe(isKept);
    expect(skippedBefore(copy)?.idempotencyKey).toBe("k");
  });

  it("has neither where both are too large", () => {
    const copy = copyOf("\u0001".repeat(65_536), { note: "ü".repeat(131_070) });
    expect(Object.keys(copy.metadata.annotations ?? {})).toEqual([annotations.skipped]);
    expect(skippedBefore(copy)).toMatchObject({ cause: "AutomationPaused" });
    expect(skippedBefore(copy)?.idempotencyKey).toBeUndefined();
  });
});

it("has its verdict in the copy, which never starts, however the automation is", () => {
  const run = storedCopy(skippedRun("AutomationPaused"));
  const later = new Date(now.getTime() + 60_000);
  const decision = decideStart(startFacts({ run }), later, operator);
  expect(verdictOf(decision)).toEqual(["False", "Skipped", "AutomationPaused"]);
  const { status } = only(decision, "writeRun");
  expect(status.completionTime).toBe(now.toISOString());
  expect(status.conditions?.find(({ type }) => type === "Succeeded")?.message).toBe("AutomationPaused: why");
  expect(
    decideAfter({ run: { ...run, status }, isAutomationGone: false, isStored: true, prompts: [] }, later).effects,
  ).toEqual([]);
});

it.each(["", "{", "{}", '{"uid":"u","cause":"c","message":"m","time":"never"}'])(
  "a Run with an unreadable verdict of another never starts: %j",
  (text) => {
    const run = storedCopy(skippedRun("AutomationPaused"));
    run.metadata.annotations = { [annotations.skipped]: text };
    expect(verdictOf(decideStart(startFacts({ run }), now, operator))).toEqual(["False", "Skipped", "Skipped"]);
  },
);
