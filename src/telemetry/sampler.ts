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

export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof samplerNames)[number];

/** Receiver and sampling of traces. */
export interface TracingConfig {
  /** Takes OTLP by HTTP, such as `http://collector:4318/v1/traces`. */
  url: string;
  sampler: SamplerName;
  /** Sampling ratio of the samplers by trace id, from 0 to 1. */
  ratio: number;
}

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
