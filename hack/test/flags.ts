const versionFlag = "--kubernetes";
const allFlag = "--all";

/** A command line without our own flags, and what they say. */
export interface Flags {
  /** The level and vitest's own arguments. */
  args: string[];
  /** `--all`: the long levels, too. */
  isAll: boolean;
  /** `--kubernetes VERSION`. */
  version?: string;
}

/** Takes our own flags out of a command line. Throws one sentence where the version is missing. */
export function takeFlags(commandLine: readonly string[]): Flags {
  const given = commandLine.filter((arg) => arg !== allFlag);
  const isAll = given.length < commandLine.length;
  const at = given.findIndex((arg) => arg === versionFlag || arg.startsWith(`${versionFlag}=`));
  if (at < 0) return { args: given, isAll };
  const joined = given[at]?.slice(versionFlag.length + 1) ?? "";
  const version = joined === "" ? given[at + 1] : joined;
  if (version === undefined || version.startsWith("-")) {
    throw new Error(`${versionFlag} needs a minor version, such as ${versionFlag} 1.36`);
  }
  return { args: given.toSpliced(at, joined === "" ? 2 : 1), isAll, version };
}
