import { join } from "node:path";

import { run } from "../../../hack/lib/command.ts";
import { startTethered, type TetheredProgram } from "../../../hack/lib/tether.ts";
import { waitUntil } from "../../../hack/lib/wait.ts";

/** Addresses outside the cluster, each with a server on the ports 80, 443 and 8080. */
export const outside = {
  internet: "93.184.215.14",
  metadata: "169.254.169.254",
  privateA: "10.9.9.20",
  privateB: "172.16.9.20",
  privateC: "192.168.9.20",
  shared: "100.64.9.20",
} as const;

const link = { node: "192.0.2.1", world: "192.0.2.2", prefix: 30 } as const;
const server = join(import.meta.dirname, "..", "programs", "world.mjs");

/** Makes a network that this one's default route leads to; its output goes to `log`. */
export async function startWorld(log: string): Promise<TetheredProgram> {
  const world = await startTethered("unshare", ["--net", process.execPath, server], log);
  const inWorld = (...command: string[]): Promise<string> =>
    run("nsenter", ["--target", String(world.pid), "--net", ...command]);
  const isApart = async (): Promise<boolean> => {
    const [own, its] = await Promise.all(
      ["self", String(world.pid)].map((pid) => run("readlink", [`/proc/${pid}/ns/net`])),
    );
    return own !== its;
  };
  await waitUntil(isApart, 10_000, () => Promise.resolve("the world has a network of its own"));
  await run("ip", ["link", "add", "world0", "type", "veth", "peer", "name", "world1"]);
  await run("ip", ["link", "set", "world1", "netns", String(world.pid)]);
  await run("ip", ["address", "add", `${link.node}/${link.prefix}`, "dev", "world0"]);
  await run("ip", ["link", "set", "world0", "up"]);
  await run("ip", ["route", "add", "default", "via", link.world]);
  await inWorld("ip", "link", "set", "lo", "up");
  await inWorld("ip", "address", "add", `${link.world}/${link.prefix}`, "dev", "world1");
  for (const address of Object.values(outside)) await inWorld("ip", "address", "add", `${address}/32`, "dev", "lo");
  await inWorld("ip", "link", "set", "world1", "up");
  return world;
}
