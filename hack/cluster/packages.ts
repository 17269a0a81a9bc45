import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { isOnPath, run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "../toolchain/go-build.ts";

/** A program that has to be there, and Debian's package that brings it. */
export interface SystemProgram {
  program: string;
  debianPackage: string;
}

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

/** Installs what is missing with apt (as root); throws naming the programs where there is no apt. */
export async function ensureSystemPrograms(programs: readonly SystemProgram[], progress: Progress): Promise<void> {
  const missing: SystemProgram[] = [];
  for (const candidate of programs) {
    if (!(await isOnPath(candidate.program))) missing.push(candidate);
  }
  await install(missing, progress);
}

/** Gives the folder of the CNI plugins, installing Debian's when there is none. */
export async function ensureCniPlugins(progress: Progress): Promise<string> {
  const before = await findCniPlugins();
  if (before !== undefined) return before;
  await install([{ program: "the CNI plugins", debianPackage: "containernetworking-plugins" }], progress);
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

async function install(missing: readonly SystemProgram[], progress: Progress): Promise<void> {
  if (missing.length === 0) return;
  const programs = missing.map(({ program }) => program).join(", ");
  if (!(await isOnPath("apt-get"))) throw new Error(`not installed, and there is no apt to install it: ${programs}`);
  if (process.getuid?.() !== 0) throw new Error(`not installed, and installing it needs root: ${programs}`);
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  const installPackages = (): Promise<string> =>
    run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], options);
  await whileReporting(progress, `installing Debian packages ${packages.join(" ")}`, () =>
    // Cluster and images may be made at the same time, and apt lets nobody in while it works.
    withLock(join(cacheDirectory(), "apt.lock"), progress, async () => {
      // A list that is there is used first: fetching it anew takes longer than most installs.
      await installPackages().catch(async () => {
        await run("apt-get", ["update"], options);
        return installPackages();
      });
    }),
  );
}
