import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../lib/command.ts";
import { portNear } from "../../lib/ports.ts";
import { waitUntil } from "../../lib/wait.ts";
import { readLogEnd, startBackground } from "../native/background.ts";
import { kubectlUntil } from "../native/kubectl.ts";
import { type Layout, network, type Native, nodeName } from "../native/layout.ts";
import { type Cilium, compiler } from "./cilium.ts";

const readyLimitMs = 90_000;
/** A device that carries nothing: the agent must leave those of the machine alone. */
const idleDevice = "rwcilium0";

/** Cilium's entry in the list of CNI plugins, after the one that makes the pod's device. */
export const ciliumChained = { type: "cilium-cni", "chaining-mode": "generic-veth" };

/** Gives a folder with the CNI plugins and Cilium's, as containerd reads one alone. */
export async function pluginsWith({ plugin }: Cilium, { state }: Layout, cniPlugins: string): Promise<string> {
  const folder = join(state, "cni-plugins");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(cniPlugins)) await symlink(join(cniPlugins, name), join(folder, name));
  await symlink(plugin, join(folder, "cilium-cni"));
  return folder;
}

/** Has Cilium enforce the NetworkPolicies of a node that has registered itself; pods wait for it from then on. */
export async function startEnforcer(native: Native, cilium: Cilium): Promise<void> {
  const { layout, kubernetes } = native;
  const folder = join(layout.state, "cilium");
  const healthPort = await portNear(9879);
  await writeSettings(join(folder, "config"), settings(layout, folder, healthPort));
  // It asks for `clang` by that name.
  await mkdir(join(folder, "bin"), { recursive: true });
  const path = (await run("sh", ["-c", `command -v ${compiler.program}`])).trim();
  await symlink(path, join(folder, "bin", "clang"));
  await mkdir(join(folder, "lib"), { recursive: true });
  await symlink(join(cilium.library, "bpf"), join(folder, "lib", "bpf"));
  await run("ip", ["link", "add", idleDevice, "type", "veth", "peer", "name", "rwcilium1"]);
  await run("ip", ["link", "set", idleDevice, "up"]);
  await run("nft", ["-f", "-"], { input: hostMark });
  const files = cilium.definitions.flatMap((definitions) => ["-f", definitions]);
  await run(kubernetes.kubectl, ["--kubeconfig", layout.kubeconfig, "apply", "--server-side", ...files]);
  await kubectlUntil(native, "the node is registered", ["get", "node", nodeName]);
  const environment = [`PATH=${join(folder, "bin")}:${process.env.PATH ?? ""}`, `K8S_NODE_NAME=${nodeName}`];
  const command = [...environment, cilium.agent, `--config-dir=${join(folder, "config")}`];
  await startBackground(layout, "cilium-agent", "env", command);
  const isHealthy = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/healthz`, { headers: { brief: "true" } }).catch(
      () => undefined,
    );
    return answer?.ok ?? false;
  };
  await waitUntil(
    isHealthy,
    readyLimitMs,
    async () => `Cilium is healthy\n${await readLogEnd(layout, "cilium-agent")}`,
  );
}

/** One file a setting, as in the ConfigMap that Cilium's chart mounts. */
async function writeSettings(folder: string, values: Record<string, string | number | boolean>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, value] of Object.entries(values)) await writeFile(join(folder, name), String(value));
}

/** Policies alone: addresses, routes and Services stay with the bridge plugin and kube-proxy. */
function settings(layout: Layout, folder: string, healthPort: number): Record<string, string | number | boolean> {
  return {
    "enable-ipv4": true,
    "enable-ipv6": false,
    "k8s-kubeconfig-path": layout.kubeconfig,
    "cluster-name": "default",
    "identity-allocation-mode": "crd",
    "cni-chaining-mode": "generic-veth",
    "cni-exclusive": false,
    "routing-mode": "native",
    ipam: "delegated-plugin",
    "local-router-ipv4": "169.254.23.0",
    "enable-local-node-route": false,
    "enable-endpoint-routes": false,
    "enable-ipv4-masquerade": false,
    "enable-bpf-masquerade": false,
    "kube-proxy-replacement": false,
    "install-iptables-rules": false,
    devices: idleDevice,
    "enable-l7-proxy": false,
    "enable-envoy-config": false,
    "enable-hubble": false,
    "enable-health-checking": false,
    "enable-endpoint-health-checking": false,
    "enable-gops": false,
    "agent-health-port": healthPort,
    "enable-policy": "default",
    "bpf-ct-global-tcp-max": 16_384,
    "bpf-ct-global-any-max": 16_384,
    "bpf-root": "/sys/fs/bpf",
    "state-dir": "/var/run/cilium",
    "lib-dir": join(folder, "lib"),
  };
}

/** Cilium knows packets of the node by this mark: without it the kubelet's probes count as the world's, and policies refuse them. */
const hostMark = `table ip rwcilium {
  chain output {
    type filter hook output priority filter;
    ip daddr ${network.podCidr} meta mark set meta mark & 0xfffff0ff | 0x00000c00
  }
}
`;
