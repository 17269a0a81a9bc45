import { Settings, type SettingName } from "../api/v1alpha1/settings.ts";
import { ConfigError } from "./config-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How the text of a variable is read: whole numbers, a list of them, or text as it is. */
const readers = {
  number: wholeNumber,
  list: (text: string) => text.split(",").map((entry) => wholeNumber(entry.trim())),
  text: (text: string) => text,
} as const;

interface Variable {
  name: string;
  reads: keyof typeof readers;
  must: string;
  /** What counts without it, in words. */
  fallback: string;
}

const variables: Record<SettingName, Variable> = {
  sandboxTimeoutMs: {
    name: "SANDBOX_TIMEOUT_MS",
    reads: "number",
    must: "whole seconds in milliseconds, from 1000 to 604800000",
    fallback: "blank: the SandboxClass's lifetime",
  },
  finalSnapshotBufferMs: {
    name: "FINAL_SNAPSHOT_BUFFER_MS",
    reads: "number",
    must: "whole seconds in milliseconds, from 300000 to 604800000",
    fallback: "600000",
  },
  tunnelPorts: {
    name: "TUNNEL_PORTS",
    reads: "list",
    must: "at most 10 different ports from 1 to 65535, with commas between them",
    fallback: "blank: none",
  },
  buildTimeoutSeconds: {
    name: "BUILD_TIMEOUT_SECONDS",
    reads: "number",
    must: "a whole number from 1 to 3600",
    fallback: "1800",
  },
  maxConcurrentChildSessions: {
    name: "MAX_CONCURRENT_CHILD_SESSIONS",
    reads: "number",
    must: "a whole number from 0 to 1000",
    fallback: "5",
  },
  maxTotalChildSessions: {
    name: "MAX_TOTAL_CHILD_SESSIONS",
    reads: "number",
    must: "a whole number from 0 to 1000",
    fallback: "15",
  },
  maxSessionCostUsd: {
    name: "MAX_SESSION_COST_USD",
    reads: "text",
    must: "an amount of US dollars above 0 with up to 6 decimal places, such as 2.50",
    fallback: "blank: no limit",
  },
};

/** The weakest settings of all sessions; a blank variable sets nothing. @throws ConfigError when one cannot be used. */
export function readOperatorSettings(environment: Environment): Settings {
  const settings = Object.entries(variables).reduce<Settings>((read, [setting, variable]) => {
    const value = environment[variable.name] ?? "";
    return value === "" ? read : { ...read, ...readSetting(setting as SettingName, variable, value) };
  }, {});
  checkChildSessions(settings);
  return settings;
}

/** Of two figures of one operator neither is weaker, so the one that cannot count is a mistake. */
function checkChildSessions({ maxConcurrentChildSessions: atOnce, maxTotalChildSessions: inAll }: Settings): void {
  if (atOnce === undefined || inAll === undefined || atOnce <= inAll) return;
  const { name, fallback } = variables.maxConcurrentChildSessions;
  const must = `it must be at most ${variables.maxTotalChildSessions.name}, ${inAll}`;
  throw new ConfigError(name, String(atOnce), must, `the default is ${fallback}`);
}

function readSetting(setting: SettingName, { name, reads, must, fallback }: Variable, value: string): Settings {
  const read = Settings.safeParse({ [setting]: readers[reads](value) });
  if (read.success) return read.data;
  throw new ConfigError(name, value, `it must be ${must}`, `the default is ${fallback}`);
}

/** Not a number where the text has anything else in it. */
function wholeNumber(text: string): number {
  return /^[0-9]+$/.test(text) ? Number(text) : NaN;
}
