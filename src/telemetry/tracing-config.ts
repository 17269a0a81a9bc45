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
