import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { ensureKindNode } from "../../hack/cluster/cluster.ts";
import { baseImage, ensureBaseImage } from "../../hack/images/base-image.ts";
import { buildah } from "../../hack/images/buildah.ts";
import { cacheDirectory } from "../../hack/lib/cache.ts";
import { run } from "../../hack/lib/command.ts";
import { withLock } from "../../hack/lib/lock.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureDebianPackage } from "../../hack/toolchain/debian-program.ts";
import { commandApart } from "../../hack/test/apart.ts";
import { ensureSystemPrograms } from "../../hack/toolchain/system-programs.ts";
import { ensureBuildx } from "./buildx.ts";
import { cgroup } from "./engine.ts";
import type { Provisions } from "./offline.ts";
import { writeOffer } from "./publications.ts";

const progress = progressOnStderr("docker");
const folder = join(cacheDirectory(), "docker-test");

it("runs demo and journey on a machine with Docker, without Go and with no connection to anywhere", async () => {
  await withLock(`${folder}.lock`, progress, async () => {
    await clear();
    try {
      expect(JSON.parse(await runApart(await provide()))).toEqual([
        "npm run cluster up, without an image for its node",
        "npm run demo, without buildx",
        "the journey test, with buildx",
        "a test against envtest's API server",
      ]);
    } finally {
      await clear();
    }
  });
});

/** Brings all that comes from elsewhere while there still is a network. */
async function provide(): Promise<Provisions> {
  await ensureSystemPrograms(
    [
      { program: "containerd", debianPackage: "containerd" },
      { program: "runc", debianPackage: "runc" },
      { program: "iptables", debianPackage: "iptables" },
      { program: "ip", debianPackage: "iproute2" },
      // With it comes the library that dockerd is linked with.
      { program: "dmsetup", debianPackage: "dmsetup" },
      { program: "buildah", debianPackage: "buildah" },
    ],
    progress,
  );
  await mkdir(folder, { recursive: true });
  const docker = await ensureDebianPackage("docker.io", progress);
  const buildx = await ensureBuildx(progress);
  const node = await ensureKindNode(progress);
  const nodeImage = { name: "runwright.local/node:1", archive: join(folder, "node-image.tar") };
  await withLock(join(cacheDirectory(), "images", "build.lock"), progress, async () => {
    await ensureBaseImage(progress);
    await buildah(["push", "--quiet", baseImage, `docker-archive:${nodeImage.archive}:${nodeImage.name}`]);
  });
  const offer = await writeOffer(join(folder, "publisher"), progress);
  return { folder, docker, buildx, node, nodeImage, offer };
}

/** Gives what it prints. Ends with everything that was started, whichever of the two ends first. */
function runApart(provisions: Provisions): Promise<string> {
  const program = [process.execPath, join(import.meta.dirname, "offline.ts"), JSON.stringify(provisions)];
  const [command, ...args] = commandApart(program);
  return run(command, args, { onErrorLine: (line) => process.stderr.write(`${line}\n`) });
}

/** Removes what a run leaves, also one that was killed: all else went with its namespaces. */
async function clear(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await run("sh", ["-c", `find /sys/fs/cgroup -depth -type d -path '*/${cgroup}*' -delete`]);
}
