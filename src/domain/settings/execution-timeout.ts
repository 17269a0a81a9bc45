import type { Settings } from "../../api/v1alpha1/settings.ts";
import { mergeSettings } from "./merge.ts";

/** What the operator's variables set for all sessions. */
export interface OperatorSettings {
  settings: Settings;
  /** `EXECUTION_TIMEOUT_MS`. */
  executionTimeoutMs: number;
}

/**
 * Execution budget of a prompt in milliseconds. A class's lifetime is none, so only the operator's settings, those of
 * Repository and Environment and the session's own count, weakest first.
 */
export function executionTimeoutMs(operator: OperatorSettings, scopes: readonly (Settings | undefined)[]): number {
  return mergeSettings([operator.settings, ...scopes]).sandboxTimeoutMs ?? operator.executionTimeoutMs;
}
