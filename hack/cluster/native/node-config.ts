import { join } from "node:path";

import { stringify } from "yaml";

import { network, type Layout } from "./layout.ts";

/** Name of the image that holds a pod's namespaces open. */
export const pauseImage = "runwright.local/pause:1";

/** containerd's configuration; `snapshotter` is overlayfs where the state folder's file system allows it. */
export function containerdConfig(layout: Layout, cniPlugins: string, snapshotter: "overlayfs" | "native"): string {
  const at = (name: string): string => JSON.stringify(join(layout.state, name));
  return `version = 2
root = ${at("containerd/root")}
state = ${at("containerd/state")}
[grpc]
address = ${JSON.stringify(layout.containerdSocket)}
[plugins."io.containerd.internal.v1.opt"]
path = ${at("containerd/opt")}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Below our own folder, so that a killed cluster's namespaces can be told apart from others.
netns_mounts_under_state_dir = true
# Some virtual machines withhold CAP_SYS_RESOURCE, and with it the right to lower an OOM score.
restrict_oom_score_adj = true
# Not every kernel has the huge-page cgroup or AppArmor, and no pod of ours asks for them.
disable_hugetlb_controller = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "${snapshotter}"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = ${JSON.stringify(cniPlugins)}
conf_dir = ${at("cni")}
`;
}

/**
 * Pods hang on the bridge that `up` made; addresses are kept below our own folder, so they go with it. `chained` are
 * plugins that come after it.
 */
export function cniConfig(layout: Layout, chained: readonly object[]): string {
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "runwright",
    plugins: [
      {
        type: "bridge",
        bridge: network.bridge,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: join(layout.state, "ipam"),
          ranges: [[{ subnet: network.podCidr, gateway: network.nodeAddress }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      ...chained,
    ],
  });
}

/** Ports that the node's programs listen on. */
export interface NodePorts {
  kubelet: number;
  kubeletHealth: number;
  proxyHealth: number;
  proxyMetrics: number;
}

/** The kubelet's configuration. */
export function kubeletConfig(layout: Layout, ports: NodePorts): string {
  return stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(layout.pki, "ca.crt") },
    },
    authorization: { mode: "Webhook" },
    port: ports.kubelet,
    healthzPort: ports.kubeletHealth,
    containerRuntimeEndpoint: `unix://${layout.containerdSocket}`,
    podLogsDir: join(layout.state, "pod-logs"),
    clusterDNS: [network.dnsService],
    clusterDomain: "cluster.local",
    cgroupDriver: "cgroupfs",
    // Since 1.35 the kubelet refuses machines that mount cgroup v1, and some still do.
    failCgroupV1: false,
    failSwapOn: false,
    // Makes the kubelet go on where it may not set rlimits and OOM scores; it needs no user namespace for that.
    featureGates: { KubeletInUserNamespace: true },
    enforceNodeAllocatable: [],
    // A developer's disk is often nearly full, and images that exist only here must never be collected.
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    // Its only use is to let other tools mark packets; it would want iptables.
    makeIPTablesUtilChains: false,
    maxPods: 250,
  });
}
