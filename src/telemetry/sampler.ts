import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

import type { TraceContext } from "../domain/tracing/trace-context.ts";
import type { TracingConfig } from "./tracing-config.ts";

/** Whether a trace is sampled. It depends on the trace's id and parent alone, so all processes agree. */
export function makeSampler(config: TracingConfig): (traceId: string, parent?: TraceContext) => boolean {
  const sampler = samplerOf(config);
  return (traceId, parent) => {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, remoteContext(parent)) : ROOT_CONTEXT;
    const { decision } = sampler.shouldSample(context, traceId, "", SpanKind.INTERNAL, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

/** A span of another process. */
export function remoteContext({ traceId, spanId, sampled }: TraceContext) {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = rootOf(sampler, ratio);
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function rootOf(sampler: TracingConfig["sampler"], ratio: number): Sampler {
  if (sampler.endsWith("always_on")) return new AlwaysOnSampler();
  return sampler.endsWith("always_off") ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}
