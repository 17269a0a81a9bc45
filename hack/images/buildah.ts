import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";

/**
 * Runs buildah with a storage of our own in the cache. The vfs driver and chroot isolation ask nothing of the kernel, so
 * this works inside containers and small virtual machines.
 */
export function buildah(args: readonly string[]): Promise<string> {
  const storage = join(cacheDirectory(), "buildah");
  const places = ["--root", join(storage, "root"), "--runroot", join(storage, "run")];
  return run("buildah", ["--storage-driver", "vfs", ...places, ...args], { env: { BUILDAH_ISOLATION: "chroot" } });
}
