import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { withLock } from "../lib/lock.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureCilium } from "./cilium/cilium.ts";
import type { LocalCluster } from "./handle.ts";
import { kindDown, kindKubeconfig, kindUp } from "./kind.ts";
import { nativeDown, nativeUp, provideForNative } from "./native/native.ts";
import { isDockerRunning } from "../toolchain/docker.ts";
import { namingFullDisk } from "../toolchain/obstacles.ts";
import { layoutIn } from "./native/layout.ts";
import { whyNoCluster } from "./requirements.ts";

/**
 * Brings up the machine's one local cluster, with kind where a Docker engine runs and natively elsewhere; one that is up
 * and well is used as it is. Throws with the reason where neither can be.
 */
export async function clusterUp(progress: Progress): Promise<LocalCluster> {
  return alone("starting the local cluster", progress, async () => {
    if (await isDockerRunning()) return kindUp(progress);
    const reason = await whyNoCluster();
    if (reason !== undefined) throw new Error(reason);
    return nativeUp(progress);
  });
}

/** Brings all that {@link clusterUp} needs of elsewhere, but for what a Docker engine brings. */
export async function provideForCluster(progress: Progress): Promise<void> {
  if (!(await isDockerRunning())) await provideForNative(progress);
}

/** Brings all that {@link enforcingClusterUp} needs of elsewhere. */
export async function provideForEnforcingCluster(progress: Progress): Promise<void> {
  await provideForNative(progress);
  await ensureCilium(progress);
}

/**
 * Brings up a native cluster whose NetworkPolicies Cilium enforces. Only for a process with a network and mounts of its own
 * (`apart` of hack/test), with file systems of its own on /sys/fs/bpf and /run/cilium: what Cilium leaves goes with them.
 */
export async function enforcingClusterUp(progress: Progress): Promise<LocalCluster> {
  return alone("starting the local cluster", progress, async () => nativeUp(progress, await ensureCilium(progress)));
}

/** Takes the local cluster down with everything in it; does nothing when there is none. */
export async function clusterDown(progress: Progress): Promise<void> {
  const what = "taking the local cluster down";
  await alone(what, progress, async () => ((await isDockerRunning()) ? kindDown(progress) : nativeDown(progress)));
}

/** Whether an API server's base URL is that of the local cluster, up or not. */
export async function isLocalCluster(server: string): Promise<boolean> {
  const files = [layoutIn().kubeconfig, kindKubeconfig()];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  return texts.some((text) => text.includes(`server: ${server}\n`));
}

function alone<T>(what: string, progress: Progress, work: () => Promise<T>): Promise<T> {
  const cache = cacheDirectory();
  return namingFullDisk(what, cache, () => withLock(join(cache, "cluster.lock"), progress, work));
}
