import { Counter, type Registry } from "prom-client";

/** Counts ended Runs, and automations that their failures paused. */
export interface RunMetrics {
  /** `failureOf` is `agent`, `platform` or `person`; undefined for a Run that did not fail. */
  runEnded(reason: string, failureOf: string | undefined): void;
  pausedByFailures(): void;
}

/** Defines the metrics on the registry; reasons are a closed set. */
export function defineRunMetrics(registry: Registry): RunMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: "runwright_runs_ended_total",
    help: "Runs that have ended, by reason and by whose failure it was: agent, platform, person or empty",
    labelNames: ["reason", "failure_of"],
    registers,
  });
  const paused = new Counter({
    name: "runwright_automations_paused_total",
    help: "Automations that their failures have paused",
    registers,
  });
  return {
    runEnded: (reason, failureOf = "") => ended.inc({ reason, failure_of: failureOf }),
    pausedByFailures: () => paused.inc(),
  };
}
