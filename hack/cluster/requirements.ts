import { isOnPath } from "../lib/command.ts";
import { isDockerRunning } from "../toolchain/docker.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { findEnvtest } from "./kubernetes/envtest.ts";
import { readBackground } from "./native/background.ts";
import { whyNoCgroups } from "./native/cgroups.ts";
import { layoutIn } from "./native/layout.ts";
import { isKubernetesBuilt } from "./kubernetes/kubernetes.ts";
import { ensureControlPlane } from "./kubernetes/programs.ts";
import { chosenRelease, ownRelease } from "./kubernetes/releases.ts";

/** Why no local cluster can be made here; undefined when one can. */
export async function whyNoCluster(): Promise<string | undefined> {
  if (await isDockerRunning()) return undefined;
  if (process.platform !== "linux") return "without a Docker engine the local cluster needs Linux";
  if (process.getuid?.() !== 0) return "without a Docker engine the local cluster needs root";
  const cgroups = await whyNoCgroups();
  if (cgroups !== undefined) return `without a Docker engine the local cluster needs cgroups, and ${cgroups}`;
  if (await canHaveKubernetes()) return undefined;
  return "without a Docker engine the local cluster needs Go on PATH to build Kubernetes";
}

/** Why no cluster that enforces NetworkPolicies can be made here; undefined when one can. */
export async function whyNoEnforcingCluster(): Promise<string | undefined> {
  if (await isDockerRunning()) return "it runs where no Docker engine does";
  const running = [...(await readBackground(layoutIn())).values()].some((pid) => pid !== undefined);
  if (running) return "a local cluster is up: take it down first, with npm run cluster -- down";
  return whyNoCluster();
}

/** Why no control plane can be started here; undefined when one can. Without Go its programs are downloaded to find out. */
export async function whyNoControlPlane(): Promise<string | undefined> {
  if (!(await isOnPath("openssl"))) return "they need openssl on PATH";
  try {
    const chosen = chosenRelease();
    const isUnpacked = chosen === undefined && (await findEnvtest()) !== undefined;
    const isThere = isUnpacked || (await canHaveKubernetes(chosen));
    if (!isThere) await ensureControlPlane(progressOnStderr("control plane"));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether our own build of Kubernetes is there or can be made. */
async function canHaveKubernetes(release = ownRelease): Promise<boolean> {
  return (await isKubernetesBuilt(release)) || (await isOnPath("go"));
}
