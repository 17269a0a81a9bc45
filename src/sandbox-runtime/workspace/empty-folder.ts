import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes all in a folder except for the `kept` paths: what is mounted there, a shared cache perhaps, is no part of it. */
export async function emptyFolder(folder: string, kept: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (kept.includes(path)) continue;
    if (kept.some((one) => one.startsWith(`${path}/`))) await emptyFolder(path, kept);
    else await rm(path, { recursive: true, force: true });
  }
}

/** Paths at which something is mounted in this container. */
export async function mountPoints(): Promise<string[]> {
  return readMountPoints(await readFile("/proc/self/mountinfo", "utf8"));
}

/** The fifth field of each line, in which the kernel writes white space and backslashes as octal numbers (proc_pid_mountinfo(5)). */
export function readMountPoints(mountinfo: string): string[] {
  return mountinfo.split("\n").flatMap((line) => {
    const field = line.split(" ")[4];
    return field === undefined
      ? []
      : field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  });
}
