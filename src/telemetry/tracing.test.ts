import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOtlpReceiver } from "../../test/support/otlp-receiver.ts";
import type { Span } from "../domain/tracing/span.ts";
import type { TraceContext } from "../domain/tracing/trace-context.ts";
import { defineTraceMetrics, longestQueue } from "./bounded-spans.ts";
import { makeSampler, type TracingConfig } from "./sampler.ts";
import { systemClock } from "../lib/clock.ts";
import { startTracing } from "./tracing.ts";

const context: TraceContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true };
const span: Span = {
  ...{ name: "run", kind: "consumer", context, parentSpanId: "c".repeat(16), attributes: { "runwright.run": "fix" } },
  ...{ start: new Date(1_000), end: new Date(3_500), failure: "Failed" },
};

let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.close());

function tracingTo(url: string) {
  const registry = new Registry();
  const config: TracingConfig = { url, sampler: "parentbased_always_on", ratio: 1 };
  const metrics = defineTraceMetrics(registry);
  const tracing = startTracing(config, { process: "controller", instance: "pod", clock: systemClock, metrics });
  const counted = async (outcome: string): Promise<number> => {
    const text = await registry.metrics();
    return Number(new RegExp(`runwright_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1]);
  };
  return { tracing, counted };
}

it("a span arrives with its own ids, times and verdict", async () => {
  const { tracing, counted } = tracingTo(receiver.url);
  tracing.tell(span);
  await tracing.close();
  expect(receiver.spans).toMatchObject([
    {
      ...{ traceId: context.traceId, spanId: context.spanId, parentSpanId: span.parentSpanId, name: "run" },
      ...{ startTimeUnixNano: "1000000000", endTimeUnixNano: "3500000000", status: { code: 2 } },
    },
  ]);
  expect(await counted("exported")).toBe(1);
});

it("a span at the head of its trace has no parent, and one that is not sampled is not exported", async () => {
  const { tracing } = tracingTo(receiver.url);
  tracing.tell({ ...span, parentSpanId: undefined, failure: undefined });
  tracing.tell({ ...span, context: { ...context, sampled: false } });
  await tracing.close();
  expect(receiver.spans).toHaveLength(1);
  expect(receiver.spans[0]).toMatchObject({ traceId: context.traceId, spanId: context.spanId });
  expect(receiver.spans[0]?.parentSpanId ?? "").toBe("");
});

it("what the receiver refuses is counted and not exported again", async () => {
  receiver.answers.status = 400;
  const { tracing, counted } = tracingTo(receiver.url);
  tracing.tell(span);
  await tracing.close();
  expect([await counted("exported"), await counted("failed"), await counted("dropped")]).toEqual([0, 1, 0]);
});

it("one span more than may wait is dropped and counted without waiting", async () => {
  const { tracing, counted } = tracingTo(receiver.url);
  for (let told = 0; told <= longestQueue; told += 1) tracing.tell(span);
  expect(await counted("dropped")).toBe(1);
  await tracing.close();
  expect(receiver.spans).toHaveLength(longestQueue);
});

describe("the sampler", () => {
  const low = `${"0".repeat(31)}1`;
  const high = `${"f".repeat(8)}${"0".repeat(24)}`;
  const parent = (sampled: boolean): TraceContext => ({ ...context, sampled });

  it.each([
    { sampler: "always_on", ratio: 1, want: [true, true, true, true] },
    { sampler: "always_off", ratio: 1, want: [false, false, false, false] },
    { sampler: "traceidratio", ratio: 0.5, want: [true, false, true, true] },
    { sampler: "parentbased_always_on", ratio: 1, want: [true, true, true, false] },
    { sampler: "parentbased_always_off", ratio: 1, want: [false, false, true, false] },
    { sampler: "parentbased_traceidratio", ratio: 0.5, want: [true, false, true, false] },
  ] as const)("$sampler judges by trace id and parent", ({ sampler, ratio, want }) => {
    const isSampled = makeSampler({ url: "", sampler, ratio });
    expect([isSampled(low), isSampled(high), isSampled(low, parent(true)), isSampled(low, parent(false))]).toEqual(
      want,
    );
  });
});
