import { rounded } from "../statistics.ts";
import type { Measured } from "./measured.ts";

/** The gateway beside the bare server: what it costs to know sessions and store what they say. */
export function ratiosOf(gateway: Measured, bare: Measured): Record<string, number> {
  const { lateness, storm } = gateway;
  return {
    residentKiBEach: rounded(gateway.residentKiBEach / bare.residentKiBEach),
    latenessP99: rounded(lateness.p99Ms / bare.lateness.p99Ms),
    stormSeconds: rounded(storm.seconds / bare.storm.seconds),
  };
}
