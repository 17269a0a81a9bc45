import { isOnPath, run } from "../lib/command.ts";

/** Program and arguments that give a program a network, mounts and processes of its own, which all end with it. */
export const apart: readonly string[] = [
  "unshare",
  "--net",
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
];

/** A command that runs another one {@link apart} and ends with this process, whichever of the two ends first. */
export function commandApart(command: readonly string[]): [string, ...string[]] {
  // As the first process of its namespace the shell waits for orphans, which Node does not.
  return ["setpriv", "--pdeathsig", "KILL", "--", ...apart, "sh", "-c", '"$@"; exit $?', "sh", ...command];
}

/**
 * A command that runs another one with a network of its own, which leads nowhere: a browser ends what it loads whenever an address
 * of the machine comes or goes, as those of a cluster's pods do.
 */
export function commandWithNetwork(command: readonly string[]): [string, ...string[]] {
  return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...command];
}

/** Whether this machine can run a {@link commandWithNetwork}. */
export async function canHaveNetwork(): Promise<boolean> {
  const [command, ...args] = commandWithNetwork(["true"]);
  return run(command, args).then(
    () => true,
    () => false,
  );
}

/** Why nothing can run {@link apart} here; undefined when it can. */
export async function whyNotApart(): Promise<string | undefined> {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid?.() !== 0) return "it needs root";
  for (const program of ["apt-get", "dpkg-deb", "go", "unshare", "setpriv"]) {
    if (!(await isOnPath(program))) return `it needs ${program} on PATH`;
  }
  const [command = "", ...args] = apart;
  return run(command, [...args, "true"]).then(
    () => undefined,
    () => "this machine's root may not make namespaces",
  );
}
