import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { SessionSettings, SettingName, SettingOrigin, Settings } from "../../api/v1alpha1/settings.ts";
import { leavesTimeToSave } from "../clocks/session-clocks.ts";
import { mergeSettings } from "./merge.ts";

/** Settings of one scope, with the scope's name for people. */
export interface SettingsLayer {
  /** `Operator`, `Session`, or kind and name such as `Repository/web`. */
  origin: string;
  settings: Settings | undefined;
}

/** The merged settings of a session. */
export interface EffectiveSettings {
  settings: SessionSettings;
  /** Of each value that is not built in. */
  origins: SettingOrigin[];
  /** One sentence for each value that exceeded its limit. */
  bounded: string[];
}

/** Of values that no scope sets. */
export const builtInOrigin = "built in";

/** Values that no scope sets. */
const builtIn: SessionSettings = {
  finalSnapshotBufferMs: 600_000,
  tunnelPorts: [],
  maxConcurrentChildSessions: 5,
  maxTotalChildSessions: 15,
  buildTimeoutSeconds: 1_800,
  maxSessionCostUsd: "",
};

/** Settings of a session; `scopes` override those of the operator and of the class, weakest first. */
export function effectiveSettings(
  operator: Settings,
  sandboxClass: Pick<SandboxClass, "metadata" | "spec"> | undefined,
  scopes: readonly SettingsLayer[],
): EffectiveSettings {
  const origin = `SandboxClass/${sandboxClass?.metadata.name ?? ""}`;
  const { settings, sandboxTimeoutMs, maxSandboxTimeoutMs } = sandboxClass?.spec ?? {};
  const layers: SettingsLayer[] = [
    { origin, settings: { sandboxTimeoutMs: maxSandboxTimeoutMs } },
    { origin: "Operator", settings: operator },
    { origin, settings: { ...settings, sandboxTimeoutMs } },
    ...scopes,
  ];
  const wanted = { ...builtIn, ...mergeSettings(layers.map((layer) => layer.settings)) };
  const origins = originsOf(layers);
  const limits: Limit[] = [
    { of: "sandboxTimeoutMs", name: "maxSandboxTimeoutMs", value: maxSandboxTimeoutMs, origin },
    {
      of: "maxConcurrentChildSessions",
      name: "maxTotalChildSessions",
      value: wanted.maxTotalChildSessions,
      origin: originOf(origins, "maxTotalChildSessions"),
    },
  ];
  const exceeded = limits.filter(({ of, value = Infinity }) => (wanted[of] ?? 0) > value);
  const counting = { ...wanted, ...Object.fromEntries(exceeded.map(({ of, value }) => [of, value])) };
  const from = exceeded.reduce(originOfLimit, origins);
  return {
    settings: counting,
    origins: from,
    bounded: [
      ...exceeded.flatMap((limit) => limitSentence(limit, wanted[limit.of], originOf(origins, limit.of))),
      ...savingSentence(counting, from),
    ],
  };
}

/** Built-in values are reduced silently. */
function limitSentence({ of, name, value, origin }: Limit, wanted: number | undefined, from: string): string[] {
  if (from === builtInOrigin) return [];
  return [`${of} ${String(wanted)} (${from}) is above ${name} ${String(value)} (${origin}), which counts`];
}

/** A buffer that is not shorter than the lifetime saves nothing. */
function savingSentence(settings: SessionSettings, origins: readonly SettingOrigin[]): string[] {
  const { sandboxTimeoutMs, finalSnapshotBufferMs } = settings;
  if (sandboxTimeoutMs === undefined || leavesTimeToSave(sandboxTimeoutMs, finalSnapshotBufferMs)) return [];
  const [lifetime, buffer] = (["sandboxTimeoutMs", "finalSnapshotBufferMs"] as const).map(
    (name) => `${name} ${String(settings[name])} (${originOf(origins, name)})`,
  );
  return [`${buffer} is not below ${lifetime}, so nothing is saved at the end of a sandbox's lifetime`];
}

/** A limit of a setting. */
interface Limit {
  of: "sandboxTimeoutMs" | "maxConcurrentChildSessions";
  name: string;
  value: number | undefined;
  origin: string;
}

function originsOf(layers: readonly SettingsLayer[]): SettingOrigin[] {
  const origins = new Map<SettingName, string>();
  for (const { origin, settings } of layers) {
    for (const name of Object.keys(mergeSettings([settings])) as SettingName[]) origins.set(name, origin);
  }
  return [...origins].map(([name, origin]) => ({ name, origin }));
}

/** Where the value of a setting was set; `built in` where nowhere. */
export function originOf(origins: readonly SettingOrigin[], setting: SettingName): string {
  return origins.find(({ name }) => name === setting)?.origin ?? builtInOrigin;
}

/** The origins once the limit's value replaces the setting's own. */
function originOfLimit(origins: readonly SettingOrigin[], { of, origin }: Limit): SettingOrigin[] {
  const others = origins.filter(({ name }) => name !== of);
  return origin === builtInOrigin ? others : [...others, { name: of, origin }];
}

/** The settings that were copied into the session when it was created; the built-in ones before that. */
export function settingsOf({ status }: Pick<Session, "status">): SessionSettings {
  return status?.settings ?? builtIn;
}
