import { type SamplerName, samplerNames, type TracingConfig } from "../telemetry/sampler.ts";
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./operator-settings.ts";

/**
 * Where traces go, by OpenTelemetry's own variables; undefined where they go nowhere. Headers and timeout are read by the
 * exporter. @throws ConfigError when a variable cannot be used.
 */
export function readTracingConfig(environment: Environment): TracingConfig | undefined {
  const url = endpointOf(environment);
  if (url === undefined || environment.OTEL_SDK_DISABLED === "true" || environment.OTEL_TRACES_EXPORTER === "none") {
    return undefined;
  }
  return { url, sampler: samplerOf(environment), ratio: ratioOf(environment) };
}

function endpointOf(environment: Environment): string | undefined {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own) return urlOf("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", own);
  const all = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  return all ? `${urlOf("OTEL_EXPORTER_OTLP_ENDPOINT", all).replace(/\/+$/, "")}/v1/traces` : undefined;
}

function urlOf(variable: string, value: string): string {
  if (URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)) return value;
  throw new ConfigError(
    variable,
    value,
    "it must be a URL that starts with http:// or https://",
    "the default is none",
  );
}

function samplerOf({ OTEL_TRACES_SAMPLER: value }: Environment): SamplerName {
  const found = samplerNames.find(
    (name) => name === (value === undefined || value === "" ? "parentbased_always_on" : value),
  );
  if (found) return found;
  const preset = "the default is parentbased_always_on";
  throw new ConfigError("OTEL_TRACES_SAMPLER", value, `it must be one of ${samplerNames.join(", ")}`, preset);
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: value }: Environment): number {
  if (!value) return 1;
  if (/^[0-9.]+(e-[0-9]+)?$/.test(value) && Number(value) <= 1) return Number(value);
  throw new ConfigError("OTEL_TRACES_SAMPLER_ARG", value, "it must be a number from 0 to 1", "the default is 1");
}
