import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { thisPlatform } from "../../toolchain/fetch/publication.ts";
import { exists } from "../../toolchain/go-build.ts";

const programs = ["etcd", "kube-apiserver", "kubectl"];
/** Older API servers lack admission features that our manifests use. */
const oldestMinor = 35;

/**
 * Finds a folder of ready test binaries: KUBEBUILDER_ASSETS, else the newest suitable archive that `setup-envtest`
 * unpacked into its store. Throws when KUBEBUILDER_ASSETS is set and incomplete, since its owner meant it to be used.
 */
export async function findEnvtest(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== "") {
    if (await isComplete(assets)) return assets;
    throw new Error(`KUBEBUILDER_ASSETS is "${assets}", which does not hold all of ${programs.join(", ")}`);
  }
  const store = envtestStore(environment);
  const folders = await readdir(store).catch(() => []);
  for (const name of suitableVersions(folders)) {
    if (await isComplete(join(store, name))) return join(store, name);
  }
  return undefined;
}

/** Names such as `1.35.1-linux-amd64` for this machine and new enough, newest first. */
export function suitableVersions(folders: readonly string[], platform = thisPlatform()): string[] {
  const parsed = folders.flatMap((name) => {
    const match = /^1\.(\d+)\.(\d+)-(.+)$/.exec(name);
    if (match?.[3] !== platform) return [];
    return [{ name, minor: Number(match[1]), patch: Number(match[2]) }];
  });
  return parsed
    .filter((version) => version.minor >= oldestMinor)
    .sort((a, b) => b.minor - a.minor || b.patch - a.patch)
    .map((version) => version.name);
}

function envtestStore(environment: NodeJS.ProcessEnv): string {
  if (process.platform === "darwin") {
    return join(homedir(), "Library", "Application Support", "io.kubebuilder.envtest", "k8s");
  }
  return join(environment.XDG_DATA_HOME ?? join(homedir(), ".local", "share"), "kubebuilder-envtest", "k8s");
}

async function isComplete(folder: string): Promise<boolean> {
  const found = await Promise.all(programs.map((program) => exists(join(folder, program))));
  return found.every(Boolean);
}
