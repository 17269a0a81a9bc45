import { expect, it } from "vitest";
import type { Prompt, Run } from "../../api/v1alpha1/index.ts";
import { aPrompt, aRun, aSession, aVerdict } from "../../../test/support/builders.ts";
import { runContext, runSpans } from "./run-spans.ts";
import { spanIdOf, traceIdOf } from "../../domain/tracing/trace-context.ts";

const at = (second: number): string => `2026-05-04T10:00:${String(second).padStart(2, "0")}.000Z`;
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentSpanId = "b7ad6b7169203331";

function endedRun(succeeded: boolean, reason: string, annotations?: Record<string, string>): Run {
  return aRun({
    metadata: { name: "fix-1", namespace: "demo", uid: "run-uid", annotations },
    spec: { trigger: { type: "Webhook", time: at(0), payload: "planted" } },
    status: {
      ...{ startTime: at(1), completionTime: at(9), sessions: [{ name: "fix-1-0" }] },
      conditions: [{ ...aVerdict(succeeded, reason, new Date(at(9))), message: "planted" }],
    },
  });
}

const session = aSession({
  metadata: { name: "fix-1-0", uid: "session-uid", creationTimestamp: at(1) },
  spec: { title: "planted" },
  status: { sandbox: { attempt: 2, podName: "p", podUID: "u", createTime: at(2), readyTime: at(5) } },
});

function endedPrompt(succeeded: boolean, reason: string): Prompt {
  return aPrompt({
    metadata: { name: "fix-1-0-1", uid: "prompt-uid" },
    spec: { sessionRef: { name: "fix-1-0" }, text: "planted" },
    status: {
      ...{ startTime: at(6), completionTime: at(8) },
      conditions: [{ ...aVerdict(succeeded, reason, new Date(at(8))), message: "planted" }],
    },
  });
}

function spansOf(run: Run, prompt: Prompt | undefined) {
  return runSpans(
    run,
    runContext(run, () => true),
    [{ session, prompt }],
  );
}

it("a Run's spans hang together below what its annotation says, each from when to when it was", () => {
  const run = endedRun(true, "Completed", { "runwright.dev/traceparent": `00-${traceId}-${parentSpanId}-01` });
  const spans = spansOf(run, endedPrompt(true, "Completed"));
  const names = new Map(spans.map(({ name, context }) => [context.spanId, name]));
  const shown = spans.map(({ name, parentSpanId: parent = "", start, end }) => {
    return [name, names.get(parent) ?? parent, start.toISOString(), end.toISOString()];
  });
  expect(shown).toEqual([
    ["run", parentSpanId, at(0), at(9)],
    ["decide", "run", at(0), at(1)],
    ["session", "run", at(1), at(8)],
    ["boot sandbox", "session", at(2), at(5)],
    ["prompt", "session", at(6), at(8)],
  ]);
  expect(new Set(spans.map(({ context }) => context.traceId))).toEqual(new Set([traceId]));
  expect(spans.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  expect(spansOf(run, endedPrompt(true, "Completed"))).toEqual(spans);
  expect(JSON.stringify(spans)).not.toContain("planted");
});

it.each([
  ["Failed", "Failed"],
  ["Skipped", undefined],
])("a Run that ended as %s is a failure: %s", (reason, failure) => {
  const [run] = spansOf(endedRun(false, reason), undefined);
  expect(run).toMatchObject({ failure, attributes: { "runwright.reason": reason, "runwright.trigger": "Webhook" } });
});

it("a prompt that failed says why", () => {
  const prompt = spansOf(endedRun(false, "Failed"), endedPrompt(false, "HeartbeatLost")).at(-1);
  expect(prompt).toMatchObject({ name: "prompt", failure: "HeartbeatLost" });
});

it.each([
  ["no annotation", undefined],
  ["one that is no traceparent", { "runwright.dev/traceparent": "planted" }],
])("a Run with %s begins a trace of its own, sampled as the sampler says", (_, annotations) => {
  const own = { traceId: traceIdOf("run-uid"), spanId: spanIdOf("run run-uid") };
  for (const sampled of [true, false]) {
    const found = runContext(endedRun(true, "Completed", annotations), (id) => id === own.traceId && sampled);
    expect(found).toEqual({ context: { ...own, sampled }, parentSpanId: undefined });
  }
});
