import { run } from "./command.ts";

/**
 * What a test puts before a command so that its mounts are its own and end with it; undefined, with a warning, where this machine
 * gives no such thing.
 */
export async function mountingCommand(): Promise<readonly [string, ...string[]] | undefined> {
  const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const args = [...asRoot, "--mount"];
  return run("unshare", [...args, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).then(
    () => ["unshare", ...args] as const,
    () => {
      console.warn("tests are left out: this machine lets nobody mount a file system of their own");
      return undefined;
    },
  );
}
