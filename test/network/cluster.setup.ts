import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import type { TestProject } from "vitest/node";

import { enforcingClusterUp } from "../../hack/cluster/cluster.ts";
import { run } from "../../hack/lib/command.ts";
import { installOn } from "../support/cluster.setup.ts";
import { startWorld } from "./support/world.ts";

/** Where Cilium keeps what has to end with it. */
const ownFolder = "/run/cilium";

/**
 * A real cluster that enforces NetworkPolicies, with the release, and a world outside of it. `npm run test:network` runs
 * this with a network and mounts of its own, which lead nowhere and end with it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await run("ip", ["link", "set", "lo", "up"]);
  await mkdir(ownFolder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "tmpfs", ownFolder]);
  await run("mount", ["-t", "bpf", "bpf", "/sys/fs/bpf"]);
  await hideSettings();
  const world = await startWorld(join(ownFolder, "world.log"));
  const tearDown = await installOn(enforcingClusterUp, project);
  return async () => {
    await tearDown();
    await world.stop();
  };
}

/** Puts copies in the place of those settings of the whole machine that Cilium changes. */
async function hideSettings(): Promise<void> {
  for (const name of ["kernel/timer_migration", "kernel/unprivileged_bpf_disabled"]) {
    const [setting, copy] = [join("/proc/sys", name), join(ownFolder, basename(name))];
    await writeFile(copy, await readFile(setting, "utf8"));
    await run("mount", ["--bind", copy, setting]);
  }
}
