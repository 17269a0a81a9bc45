import { chmod, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { namingFullDisk, namingObstacles } from "../toolchain/obstacles.ts";
import { ensureSystemPrograms } from "../toolchain/system-programs.ts";
import { buildah } from "./buildah.ts";

const suite = "bookworm";
const packages = ["bash", "ca-certificates", "git", "openssh-client", "tini"];
/** Part of the base image's name; counted up when the recipe below changes. */
const recipeVersion = 3;

const repository = "localhost/runwright-base";

/** Name of the base image that is made here where no registry can be reached: Debian, git and this process's own Node. */
export const baseImage = `${repository}:${recipeVersion}-${suite}-node-${process.versions.node}`;

/** Makes the base image in buildah's storage unless it is there. */
export async function ensureBaseImage(progress: Progress): Promise<string> {
  const known = await buildah(["images", "--quiet", baseImage]).catch(() => "");
  if (known.trim() !== "") return baseImage;
  await ensureSystemPrograms([{ program: "debootstrap", debianPackage: "debootstrap" }], progress);
  await mkdir(cacheDirectory(), { recursive: true });
  const rootfs = await mkdtemp(join(cacheDirectory(), "rootfs-"));
  try {
    const making = "making a base image from Debian's packages";
    await whileReporting(progress, making, () => namingObstacles(making, cacheDirectory(), () => makeRootfs(rootfs)));
    await forgetOlder();
    const storing = "storing the base image";
    await whileReporting(progress, storing, () => namingFullDisk(storing, cacheDirectory(), () => store(rootfs)));
  } finally {
    await rm(rootfs, { recursive: true, force: true });
  }
  return baseImage;
}

async function makeRootfs(rootfs: string): Promise<void> {
  await chmod(rootfs, 0o755);
  await run("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, suite, rootfs]);
  const unneeded = [
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "var/lib/apt/lists",
    "var/cache/apt",
    "var/log",
  ];
  for (const folder of unneeded) {
    await rm(join(rootfs, folder), { recursive: true, force: true });
    await mkdir(join(rootfs, folder));
  }
  const node = join(rootfs, "usr/local/bin/node");
  await copyFile(process.execPath, node);
  await chmod(node, 0o755);
  await run("chroot", [rootfs, "/usr/local/bin/node", "--version"]);
}

/** Base images of earlier recipes and Nodes: nothing is built on them any more, and each is a full copy. */
async function forgetOlder(): Promise<void> {
  const all = (await buildah(["images", "--quiet", "--filter", `reference=${repository}`])).split("\n").filter(Boolean);
  if (all.length > 0) await buildah(["rmi", "--force", ...all]);
}

async function store(rootfs: string): Promise<void> {
  const container = (await buildah(["from", "scratch"])).trim();
  await buildah(["copy", "--quiet", container, rootfs, "/"]);
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  await buildah(["config", "--env", `PATH=${path}`, "--cmd", '["node"]', container]);
  await buildah(["commit", "--quiet", "--rm", container, baseImage]);
}
