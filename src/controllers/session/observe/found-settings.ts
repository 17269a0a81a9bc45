import type { Session } from "../../../api/v1alpha1/session.ts";
import { effectiveSettings } from "../../../domain/settings/effective.ts";
import { executionTimeoutMs, type OperatorSettings } from "../../../domain/settings/execution-timeout.ts";
import type { FoundSettings } from "../../sandbox/facts.ts";
import type { StartInputs } from "../../sandbox/start/inputs.ts";

/**
 * What a session's settings come to: what was copied before, or else as all scopes are now. The session's own cost limit
 * is left out, since it may change at any time.
 */
export function foundSettings(
  operator: OperatorSettings,
  { spec, status }: Session,
  { sandboxClass, targetSettings }: Pick<StartInputs, "sandboxClass" | "targetSettings">,
): FoundSettings {
  if (status?.settings) return { copied: status, bounded: [] };
  const own = { ...spec.settings, maxSessionCostUsd: undefined };
  const scopes = [...targetSettings, { origin: "Session", settings: own }];
  const { settings, origins, bounded } = effectiveSettings(operator.settings, sandboxClass, scopes);
  return {
    copied: {
      executionTimeoutMs: executionTimeoutMs(
        operator,
        scopes.map((scope) => scope.settings),
      ),
      lifetimeMs: settings.sandboxTimeoutMs,
      settings,
      settingOrigins: origins,
    },
    bounded,
  };
}
