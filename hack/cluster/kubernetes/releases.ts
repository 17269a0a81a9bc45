import { newestControlPlane, oldestControlPlane } from "../../toolchain/fetch/envtest-pins.ts";
import { controlPlane } from "../../toolchain/fetch/pins.ts";
import type { Publication } from "../../toolchain/fetch/publication.ts";

/** A release of Kubernetes that tests can run against. */
export interface KubernetesRelease {
  version: string;
  /** The go.mod that our own build is made by, in this folder. */
  modules: string;
  /** The control plane that envtest's publisher has of the same minor version. */
  envtest: Publication;
}

/**
 * The one that the local cluster runs, too: the last line of releases for containerd 1.6, which is what Debian 12 has. Of
 * 1.35 only .0 and .1 have all their staging modules published.
 */
export const ownRelease: KubernetesRelease = { version: "1.35.1", modules: "go.mod", envtest: controlPlane };

/** By minor version, the oldest first. Of these docs/operate/install.md names the ones that tests have passed on; the chart's `kubeVersion` begins with the oldest of those. */
export const kubernetesReleases: Readonly<Record<string, KubernetesRelease>> = {
  "1.34": { version: "1.34.1", modules: "1.34/go.mod", envtest: oldestControlPlane },
  "1.35": ownRelease,
  "1.36": { version: "1.36.2", modules: "1.36/go.mod", envtest: newestControlPlane },
};

/** Names the minor version of the control planes of this process and its children; `npm test -- --kubernetes` sets it. */
export const releaseVariable = "RUNWRIGHT_TEST_KUBERNETES";

/** The release of {@link releaseVariable}; undefined without it. Throws one sentence when there is none of that version. */
export function chosenRelease(environment: NodeJS.ProcessEnv = process.env): KubernetesRelease | undefined {
  const minor = environment[releaseVariable] ?? "";
  if (minor === "") return undefined;
  const release = Object.hasOwn(kubernetesReleases, minor) ? kubernetesReleases[minor] : undefined;
  if (release !== undefined) return release;
  const known = Object.keys(kubernetesReleases).join(", ");
  throw new Error(`there is no Kubernetes ${JSON.stringify(minor)} here: tests can run against ${known}`);
}
