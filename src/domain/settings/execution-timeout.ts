import type { Settings } from "../../api/v1alpha1/settings.ts";
import { mergeSettings } from "./merge.ts";

/** Settings of all sessions by the operator's variables. */
export interface OperatorSettings {
  settings: Settings;
  /** `EXECUTION_TIMEOUT_MS`. */
  executionTimeoutMs: number;
}

/**
 * Execution budget of a prompt in milliseconds, from the operator's settings and `scopes` (Repository, Environment,
 * Session), weakest first. A class's lifetime is not a budget and does not count.
 */
export function executionTimeoutMs(operator: OperatorSettings, scopes: readonly (Settings | undefined)[]): number {
  return mergeSettings([operator.settings, ...scopes]).sandboxTimeoutMs ?? operator.executionTimeoutMs;
}
