import { isOnPath } from "../lib/command.ts";
import { isDockerRunning } from "../toolchain/docker.ts";
import { findEnvtest } from "./kubernetes/envtest.ts";
import { isKubernetesBuilt } from "./kubernetes/kubernetes.ts";

/** Why no local cluster can be made here; undefined when one can. */
export async function whyNoCluster(): Promise<string | undefined> {
  if (await isDockerRunning()) return undefined;
  if (process.platform !== "linux") return "without a Docker engine the local cluster needs Linux";
  if (process.getuid?.() !== 0) return "without a Docker engine the local cluster needs root";
  if (await canHaveKubernetes()) return undefined;
  return "without a Docker engine the local cluster needs Go on PATH to build Kubernetes";
}

/** Why no control plane can be started here; undefined when one can. */
export async function whyNoControlPlane(): Promise<string | undefined> {
  if (!(await isOnPath("openssl"))) return "they need openssl on PATH";
  try {
    if ((await findEnvtest()) !== undefined || (await canHaveKubernetes())) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "they need KUBEBUILDER_ASSETS, an envtest archive, or Go on PATH to build Kubernetes";
}

/** Whether our own build of Kubernetes is there or can be made. */
async function canHaveKubernetes(): Promise<boolean> {
  return (await isKubernetesBuilt()) || (await isOnPath("go"));
}
