import { join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { isOnPath } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { DownloadError } from "../../toolchain/fetch/connection.ts";
import { ensurePublication, isInstalled, type Means } from "../../toolchain/fetch/install.ts";
import { kubectl } from "../../toolchain/fetch/pins.ts";
import type { Publication } from "../../toolchain/fetch/publication.ts";
import { findEnvtest } from "./envtest.ts";
import { ensureKubernetes, isKubernetesBuilt, type KubernetesPrograms } from "./kubernetes.ts";
import { chosenRelease, ownRelease } from "./releases.ts";

/** What tests against an API server need. */
export type ControlPlanePrograms = Pick<KubernetesPrograms, "etcd" | "kube-apiserver" | "kubectl">;

/**
 * Gives etcd, kube-apiserver and kubectl: those that are on this machine, else envtest's archive from its publisher, else our own
 * build. Where {@link chosenRelease} names a release, it is of that one, whatever else this machine has. Throws one sentence that
 * says what to install where none can be had.
 */
export async function ensureControlPlane(progress: Progress, means?: Means): Promise<ControlPlanePrograms> {
  const found = await findPrograms(progress);
  if (found !== undefined) return found;
  const release = chosenRelease() ?? ownRelease;
  const folder = folderOf("envtest", release.envtest);
  const downloaded = await isDownloaded(release.envtest, folder, progress, means);
  return downloaded ? programsIn(folder) : ensureKubernetes(progress, release);
}

/** Gives kubectl: one that is on this machine, else its publisher's, else our own build's. Throws as {@link ensureControlPlane}. */
export async function ensureKubectl(progress: Progress, means?: Means): Promise<string> {
  const found = await findPrograms(progress);
  if (found !== undefined) return found.kubectl;
  const folder = folderOf("kubectl", kubectl);
  const downloaded = await isDownloaded(kubectl, folder, progress, means);
  return downloaded ? join(folder, "kubectl") : (await ensureKubernetes(progress)).kubectl;
}

/** Those of KUBEBUILDER_ASSETS or an envtest archive, our own build's, or those that were downloaded before. */
async function findPrograms(progress: Progress): Promise<ControlPlanePrograms | undefined> {
  const chosen = chosenRelease();
  const unpacked = chosen === undefined ? await findEnvtest() : undefined;
  if (unpacked !== undefined) return programsIn(unpacked);
  const release = chosen ?? ownRelease;
  if (await isKubernetesBuilt(release)) return ensureKubernetes(progress, release);
  const downloaded = folderOf("envtest", release.envtest);
  return (await isInstalled(release.envtest, downloaded)) ? programsIn(downloaded) : undefined;
}

/** Downloads a publication; false where its publisher says no and there is Go to build it. */
async function isDownloaded(
  publication: Publication,
  folder: string,
  progress: Progress,
  means?: Means,
): Promise<boolean> {
  const { title } = publication;
  try {
    await ensurePublication(publication, folder, progress, means);
    return true;
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    progress(`${title} was not downloaded: ${error.message}`);
    if (await isOnPath("go")) return false;
    const remedy = "install Go 1.25 or newer, or name the folder of an envtest archive in KUBEBUILDER_ASSETS";
    throw new Error(`${title} was not downloaded (${error.message}) and there is no Go: ${remedy}`, { cause: error });
  }
}

function folderOf(name: string, { version }: Publication): string {
  return join(cacheDirectory(), name, version);
}

function programsIn(folder: string): ControlPlanePrograms {
  return {
    etcd: join(folder, "etcd"),
    "kube-apiserver": join(folder, "kube-apiserver"),
    kubectl: join(folder, "kubectl"),
  };
}
