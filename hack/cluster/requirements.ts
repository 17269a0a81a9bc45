import { isOnPath, run } from "../lib/command.ts";
import { isKubernetesBuilt } from "../toolchain/kubernetes.ts";

/** Whether a Docker engine (not just its client) answers. */
export async function isDockerRunning(): Promise<boolean> {
  return run("docker", ["info", "--format", "{{.ServerVersion}}"]).then(
    (version) => version.trim() !== "",
    () => false,
  );
}

/** Why no local cluster can be made here; undefined when one can. */
export async function whyNoCluster(): Promise<string | undefined> {
  if (await isDockerRunning()) return undefined;
  if (process.platform !== "linux") return "without a Docker engine the local cluster needs Linux";
  if (process.getuid?.() !== 0) return "without a Docker engine the local cluster needs root";
  if (await canHaveKubernetes()) return undefined;
  return "without a Docker engine the local cluster needs Go on PATH to build Kubernetes";
}

/** Whether our own build of Kubernetes is there or can be made. */
export async function canHaveKubernetes(): Promise<boolean> {
  return (await isKubernetesBuilt()) || (await isOnPath("go"));
}
