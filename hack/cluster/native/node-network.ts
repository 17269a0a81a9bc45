import { readFile, writeFile } from "node:fs/promises";

import { run } from "../../lib/command.ts";
import { network } from "./layout.ts";

/**
 * Makes the bridge with the node's address, so that it is there before the first pod, and lets pods out to where the
 * node itself can go.
 */
export async function makeNodeNetwork(): Promise<void> {
  await enableForwarding();
  const prefixLength = network.podCidr.split("/")[1] ?? "24";
  await run("ip", ["link", "add", network.bridge, "type", "bridge"]);
  await run("ip", ["address", "add", `${network.nodeAddress}/${prefixLength}`, "dev", network.bridge]);
  await run("ip", ["link", "set", network.bridge, "up"]);
  // One rule of our own rather than the bridge plugin's one per pod: it goes with its table in one step.
  await run("nft", ["-f", "-"], { input: masqueradeRules });
}

const masqueradeRules = `table ip ${network.natTable} {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ip saddr ${network.podCidr} ip daddr != { ${network.podCidr}, 224.0.0.0/4 } masquerade
  }
}
`;

/**
 * Whether answers between two pods, which cross the bridge without being routed, pass the packet filter too. If not, the
 * address of a Service in them would never be translated back, and kube-proxy has to masquerade everything.
 */
export async function filterBridgedTraffic(): Promise<boolean> {
  const setting = "/proc/sys/net/bridge/bridge-nf-call-iptables";
  await run("modprobe", ["br_netfilter"]).catch(() => undefined); // built in, or not to be had
  return writeFile(setting, "1").then(
    () => true,
    () => false,
  );
}

async function enableForwarding(): Promise<void> {
  const setting = "/proc/sys/net/ipv4/ip_forward";
  if ((await readFile(setting, "utf8")).trim() !== "1") await writeFile(setting, "1");
}
