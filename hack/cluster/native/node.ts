import { mkdir, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { waitUntil } from "../../lib/wait.ts";
import { readLogEnd, startBackground } from "./background.ts";
import { network, nodeName, type Native } from "./layout.ts";
import { readyLimitMs, succeeds } from "./kubectl.ts";
import { nodeKubeconfig, proxyKubeconfig } from "./control-plane.ts";
import { cniConfig, containerdConfig, kubeletConfig } from "./node-config.ts";
import { filterBridgedTraffic } from "./node-network.ts";
import { portNear } from "../../lib/ports.ts";

/** Starts a containerd of our own, apart from one that the machine may run already. */
export async function startContainerd(
  { layout }: Native,
  cniPlugins: string,
  chained: readonly object[],
): Promise<void> {
  await mkdir(join(layout.state, "cni"), { recursive: true });
  await writeFile(join(layout.state, "cni", "10-runwright.conflist"), cniConfig(layout, chained));
  const config = join(layout.state, "containerd.toml");
  const snapshotter = (await isOnOverlay(layout.state)) ? "native" : "overlayfs";
  await writeFile(config, containerdConfig(layout, cniPlugins, snapshotter));
  await startBackground(layout, "containerd", "containerd", ["--config", config]);
  await waitUntil(
    () => succeeds("ctr", ["--address", layout.containerdSocket, "--connect-timeout", "1s", "version"]),
    readyLimitMs,
    async () => `containerd answers\n${await readLogEnd(layout, "containerd")}`,
  );
}

/** Inside a container the disk is often an overlay, and an overlay cannot lie on another. */
async function isOnOverlay(folder: string): Promise<boolean> {
  const overlayMagic = 0x794c7630;
  return (await statfs(folder)).type === overlayMagic;
}

/** Starts the kubelet and kube-proxy. */
export async function startNode({ layout, kubernetes }: Native): Promise<void> {
  const ports = {
    kubelet: await portNear(10250),
    kubeletHealth: await portNear(10248),
    proxyHealth: await portNear(10256),
    proxyMetrics: await portNear(10249),
  };
  const config = join(layout.state, "kubelet.yaml");
  await writeFile(config, kubeletConfig(layout, ports));
  await startBackground(layout, "kubelet", kubernetes.kubelet, [
    `--config=${config}`,
    `--kubeconfig=${nodeKubeconfig(layout)}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${network.nodeAddress}`,
    `--root-dir=${join(layout.state, "kubelet")}`,
    `--cert-dir=${join(layout.state, "kubelet-pki")}`,
  ]);
  await startBackground(layout, "kube-proxy", kubernetes["kube-proxy"], [
    `--kubeconfig=${proxyKubeconfig(layout)}`,
    `--hostname-override=${nodeName}`,
    "--proxy-mode=nftables",
    `--cluster-cidr=${network.podCidr}`,
    `--masquerade-all=${!(await filterBridgedTraffic())}`,
    // 0 leaves the machine's own limit alone.
    "--conntrack-max-per-core=0",
    `--healthz-bind-address=127.0.0.1:${ports.proxyHealth}`,
    `--metrics-bind-address=127.0.0.1:${ports.proxyMetrics}`,
  ]);
}
