import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { run } from "../../lib/command.ts";
import { withLock } from "../../lib/lock.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { exists } from "../../toolchain/go-build.ts";
import { ensureKubernetes, kubernetesVersion } from "../kubernetes/kubernetes.ts";
import { ensureCoreDns } from "../native/coredns.ts";
import { ensurePause } from "../native/pause.ts";
import { ensureKubeadm } from "./kubeadm.ts";
import { makeDebian, makeNode } from "./rootfs.ts";
import { writeSystemImages, type SystemPrograms } from "./system-images.ts";

/** A node image for kind, as `docker import` takes it. */
export interface KindNode {
  /** Path of a tar of its file system. */
  tar: string;
  /** Arguments of `--change`. */
  changes: readonly string[];
}

const changes = ['ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]', "ENV container=docker"];

/**
 * Makes a node image for kind without any registry, from Debian's packages and Go modules, in minutes the first time. Needs Linux,
 * root, apt and Go. For tests of the way with Docker where kind's own image cannot be had: one node, no NetworkPolicies.
 */
export async function ensureKindNode(progress: Progress): Promise<KindNode> {
  const tar = join(cacheDirectory(), "kind-node", `${kubernetesVersion}-${await recipeHash()}.tar`);
  await withLock(`${tar}.lock`, progress, async () => {
    if (!(await exists(tar))) await make(tar, progress);
  });
  return { tar, changes };
}

async function make(tar: string, progress: Progress): Promise<void> {
  const programs: SystemPrograms = {
    kube: join(dirname((await ensureKubernetes(progress)).etcd), "kube"),
    coreDns: await ensureCoreDns(progress),
    pause: await ensurePause(progress),
    kubeadm: await ensureKubeadm(progress),
  };
  const work = await mkdtemp(join(dirname(tar), "work-"));
  const [root, images] = [join(work, "root"), join(work, "images")];
  try {
    await makeDebian(root, progress);
    await mkdir(images);
    await whileReporting(progress, "making the images of a control plane", () =>
      writeSystemImages(programs, { debian: root, work: images, folder: join(root, "kind", "images") }),
    );
    await whileReporting(progress, "making kind's node", () => makeNode(root, programs));
    const unfinished = join(work, "node.tar");
    await run("tar", ["--create", "--numeric-owner", "--file", unfinished, "--directory", root, "."]);
    await rename(unfinished, tar);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Short hash over this folder, so that a changed recipe makes a node beside the old one. */
async function recipeHash(): Promise<string> {
  const hash = createHash("sha256");
  const files = await readdir(import.meta.dirname, { recursive: true });
  for (const file of files.sort()) {
    const path = join(import.meta.dirname, file);
    if ((await stat(path)).isFile()) hash.update(file).update(await readFile(path));
  }
  return hash.digest("hex").slice(0, 12);
}
