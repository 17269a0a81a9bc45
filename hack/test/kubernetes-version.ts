const flag = "--kubernetes";

/** A command line without `--kubernetes VERSION`, and that version if it was there. Throws one sentence where the version is missing. */
export function takeKubernetesVersion(args: readonly string[]): { args: string[]; version?: string } {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (at < 0) return { args: [...args] };
  const joined = args[at]?.slice(flag.length + 1) ?? "";
  const version = joined === "" ? args[at + 1] : joined;
  if (version === undefined || version.startsWith("-")) {
    throw new Error(`${flag} needs a minor version, such as ${flag} 1.36`);
  }
  return { args: args.toSpliced(at, joined === "" ? 2 : 1), version };
}
