import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { withLock } from "../lib/lock.ts";
import type { Progress } from "../lib/progress.ts";
import type { LocalCluster } from "./handle.ts";
import { kindDown, kindUp } from "./kind.ts";
import { nativeDown, nativeUp } from "./native.ts";
import { isDockerRunning, whyNoCluster } from "./requirements.ts";

/**
 * Brings up the machine's one local cluster, with kind where a Docker engine runs and natively elsewhere; one that is up
 * and well is used as it is. Throws with the reason where neither can be.
 */
export async function clusterUp(progress: Progress): Promise<LocalCluster> {
  return alone(progress, async () => {
    if (await isDockerRunning()) return kindUp(progress);
    const reason = await whyNoCluster();
    if (reason !== undefined) throw new Error(reason);
    return nativeUp(progress);
  });
}

/** Takes the local cluster down with everything in it; does nothing when there is none. */
export async function clusterDown(progress: Progress): Promise<void> {
  await alone(progress, async () => ((await isDockerRunning()) ? kindDown(progress) : nativeDown(progress)));
}

async function alone<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  const cache = cacheDirectory();
  await mkdir(cache, { recursive: true });
  return withLock(join(cache, "cluster.lock"), progress, work);
}
