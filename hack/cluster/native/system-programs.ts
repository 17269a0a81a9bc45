import { join } from "node:path";

import type { Progress } from "../../lib/progress.ts";
import { exists } from "../../toolchain/go-build.ts";
import { installPackages, type SystemProgram } from "../../toolchain/system-programs.ts";

/** Programs of the native cluster. */
export const clusterPrograms: readonly SystemProgram[] = [
  { program: "containerd", debianPackage: "containerd" },
  { program: "runc", debianPackage: "runc" },
  { program: "nft", debianPackage: "nftables" },
  { program: "ip", debianPackage: "iproute2" },
  { program: "mount", debianPackage: "mount" },
  { program: "openssl", debianPackage: "openssl" },
  { program: "tar", debianPackage: "tar" },
];

const cniFolders = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];
const cniPlugins = ["bridge", "host-local", "loopback"];

/** Gives the folder of the CNI plugins, installing Debian's when there is none. */
export async function ensureCniPlugins(progress: Progress): Promise<string> {
  const before = await findCniPlugins();
  if (before !== undefined) return before;
  await installPackages([{ program: "the CNI plugins", debianPackage: "containernetworking-plugins" }], progress);
  const after = await findCniPlugins();
  if (after === undefined) throw new Error(`no CNI plugins ${cniPlugins.join(", ")} in ${cniFolders.join(", ")}`);
  return after;
}

async function findCniPlugins(): Promise<string | undefined> {
  for (const folder of cniFolders) {
    const found = await Promise.all(cniPlugins.map((plugin) => exists(join(folder, plugin))));
    if (found.every(Boolean)) return folder;
  }
  return undefined;
}
