/**
 * What others may use of this folder; `.dependency-cruiser.cjs` holds them to it. The rest, how Kubernetes is built and
 * how a node is run on this machine, can change without them.
 */
export { startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./control-plane/control-plane.ts";
export type { StoredKey } from "./control-plane/control-plane.ts";
export { type ClusterCredentials, headersOf, tlsOf } from "./control-plane/credentials.ts";
export type { LocalCluster, NodeProgram } from "./handle.ts";
export { ensureKind } from "./kind.ts";
export { ensureKindNode } from "./kind-node/kind-node.ts";
export { ensureKubernetes, kubernetesVersion } from "./kubernetes/kubernetes.ts";
export { chosenRelease, releaseVariable } from "./kubernetes/releases.ts";
export { ensureControlPlane, ensureKubectl } from "./kubernetes/programs.ts";
export {
  clusterDown,
  clusterUp,
  enforcingClusterUp,
  isLocalCluster,
  provideForCluster,
  provideForEnforcingCluster,
} from "./local-cluster.ts";
export { whyNoCluster, whyNoControlPlane, whyNoEnforcingCluster } from "./requirements.ts";
