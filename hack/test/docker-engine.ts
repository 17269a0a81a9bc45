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

/** Why no Docker engine of our own can run here; undefined when one can. */
export async function whyNoEngine(): Promise<string | undefined> {
  if (process.platform !== "linux") return "a Docker engine of its own needs Linux";
  if (process.getuid?.() !== 0) return "a Docker engine of its own needs root";
  for (const program of ["apt-get", "dpkg-deb", "go", "unshare", "setpriv"]) {
    if (!(await isOnPath(program))) return `it needs ${program} on PATH`;
  }
  const [command = "", ...args] = apart;
  return run(command, [...args, "true"]).then(
    () => undefined,
    () => "this machine's root may not make namespaces",
  );
}
