import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { SessionSettings, SettingName, SettingOrigin, Settings } from "../../api/v1alpha1/settings.ts";
import { leavesTimeToSave } from "../clocks/session-clocks.ts";
import { mergeSettings } from "./merge.ts";

/** One scope's settings and what people know the scope by. */
export interface SettingsLayer {
  /** `Operator`, `Session`, or kind and name such as `Repository/web`. */
  origin: string;
  settings: Settings | undefined;
}

/** What a session's settings come to. */
export interface EffectiveSettings {
  settings: SessionSettings;
  /** Of each value that is not built in. */
  origins: SettingOrigin[];
  /** Values of scopes that were above another one that bounds them, a sentence each. */
  bounded: string[];
}

const builtInOrigin = "built in";

/** What counts where no scope sets a value. */
const builtIn: SessionSettings = {
  finalSnapshotBufferMs: 600_000,
  tunnelPorts: [],
  maxConcurrentChildSessions: 5,
  maxTotalChildSessions: 15,
  buildTimeoutSeconds: 1_800,
  maxSessionCostUsd: "",
};

/** The settings of a session of this class, if any; `scopes` go over the operator's and the class's, weakest first. */
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
      ...exceeded.flatMap((limit) => saidOf(limit, wanted[limit.of], originOf(origins, limit.of))),
      ...saidOfSaving(counting, from),
    ],
  };
}

/** Nobody asked for what is built in. */
function saidOf({ of, name, value, origin }: Limit, wanted: number | undefined, from: string): string[] {
  if (from === builtInOrigin) return [];
  return [`${of} ${String(wanted)} (${from}) is above ${name} ${String(value)} (${origin}), which counts`];
}

/** The lifetime bounds the time to save: a buffer that is no shorter saves nothing. */
function saidOfSaving(settings: SessionSettings, origins: readonly SettingOrigin[]): string[] {
  const { sandboxTimeoutMs, finalSnapshotBufferMs } = settings;
  if (sandboxTimeoutMs === undefined || leavesTimeToSave(sandboxTimeoutMs, finalSnapshotBufferMs)) return [];
  const [lifetime, buffer] = (["sandboxTimeoutMs", "finalSnapshotBufferMs"] as const).map(
    (name) => `${name} ${String(settings[name])} (${originOf(origins, name)})`,
  );
  return [`${buffer} is not below ${lifetime}, so nothing is saved at the end of a sandbox's lifetime`];
}

/** What bounds a setting. */
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

function originOf(origins: readonly SettingOrigin[], setting: SettingName): string {
  return origins.find(({ name }) => name === setting)?.origin ?? builtInOrigin;
}

/** The origins where the limit's value counts instead of the setting's own. */
function originOfLimit(origins: readonly SettingOrigin[], { of, origin }: Limit): SettingOrigin[] {
  const others = origins.filter(({ name }) => name !== of);
  return origin === builtInOrigin ? others : [...others, { name: of, origin }];
}

/** The settings that were copied into a session when it was created; before that, what is built in. */
export function settingsOf({ status }: Pick<Session, "status">): SessionSettings {
  return status?.settings ?? builtIn;
}
