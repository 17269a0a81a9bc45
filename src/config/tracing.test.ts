import { describe, expect, it } from "vitest";
import { readTracingConfig } from "./tracing.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
const usual = { url: "http://collector:4318/v1/traces", sampler: "parentbased_always_on", ratio: 1 };

it.each([
  ["no endpoint", {}],
  ["an empty one", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
  ["the SDK disabled", { ...endpoint, OTEL_SDK_DISABLED: "true" }],
  ["no exporter", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
])("traces go nowhere with %s", (_, environment) => {
  expect(readTracingConfig(environment)).toBeUndefined();
});

it.each([
  [endpoint, usual],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t.example.com/x" },
    { ...usual, url: "https://t.example.com/x" },
  ],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
    { ...usual, sampler: "traceidratio", ratio: 0.25 },
  ],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER_ARG: "0" },
    { ...usual, ratio: 0 },
  ],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER_ARG: "1e-05" },
    { ...usual, ratio: 0.00001 },
  ],
])("reads %j", (environment, want) => {
  expect(readTracingConfig(environment)).toEqual(want);
});

describe("a wrong value stops the process with the variable and the default", () => {
  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "grpc://collector:4317"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.01"],
    ["OTEL_TRACES_SAMPLER_ARG", "-1"],
    ["OTEL_TRACES_SAMPLER_ARG", "half"],
    ["OTEL_TRACES_SAMPLER_ARG", "0.1.1"],
  ])("%s=%s", (variable, value) => {
    expect(() => readTracingConfig({ ...endpoint, [variable]: value })).toThrow(
      new RegExp(`${variable}.*${value}.*default`, "s"),
    );
  });
});
