import type { SandboxClassSpec } from "../../api/v1alpha1/sandbox-class.ts";
import { mergeSettings } from "./merge.ts";
import type { Settings } from "../../api/v1alpha1/settings.ts";

/** Settings of the scopes of one session; the nearest that sets a value wins. */
export interface SettingsScopes {
  session?: Settings | undefined;
  /** Of the primary Repository, and over it of the Environment. */
  target?: Settings | undefined;
}

/**
 * Execution budget of a prompt in milliseconds. A class's lifetime is none, so without a setting the operator's
 * `EXECUTION_TIMEOUT_MS` counts.
 */
export function executionTimeoutMs(scopes: SettingsScopes, operator: { executionTimeoutMs: number }): number {
  return configuredTimeoutMs(scopes) ?? operator.executionTimeoutMs;
}

/** Lifetime of a sandbox in milliseconds: the scope's, at most what the class allows, else the class's own. */
export function lifetimeMs(
  scopes: SettingsScopes,
  sandboxClass: Pick<SandboxClassSpec, "sandboxTimeoutMs" | "maxSandboxTimeoutMs">,
): number {
  const wanted = configuredTimeoutMs(scopes) ?? sandboxClass.sandboxTimeoutMs;
  return Math.min(wanted, sandboxClass.maxSandboxTimeoutMs ?? Infinity);
}

function configuredTimeoutMs({ session, target }: SettingsScopes): number | undefined {
  return mergeSettings([target, session]).sandboxTimeoutMs;
}
