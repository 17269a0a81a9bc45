import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { buildBundles } from "../build/bundles.ts";
import type { LocalCluster } from "../cluster/handle.ts";
import { ensureSystemPrograms } from "../cluster/packages.ts";
import { isDockerRunning } from "../cluster/requirements.ts";
import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "../toolchain/go-build.ts";
import { baseImage, ensureBaseImage } from "./base-image.ts";
import { buildah } from "./buildah.ts";
import { contentKey } from "./content-key.ts";

/** An image of ours and the docker-archive tar that holds it; the tag says what is in it. */
export interface BuiltImage {
  repository: string;
  tag: string;
  /** `repository:tag`. */
  name: string;
  archive: string;
}

/** The images that one checkout makes. */
export interface Images {
  operator: BuiltImage;
  sandbox: BuiltImage;
}

const root = join(import.meta.dirname, "..", "..");
const registry = "runwright.local";
const keptArchives = 3;
const targets = ["operator", "sandbox"] as const;
type Target = (typeof targets)[number];

/**
 * Builds both images from the Dockerfile with Docker, or with buildah where no engine runs; what did not change since the
 * last time is not built again.
 */
export async function ensureImages(progress: Progress): Promise<Images> {
  const withDocker = await isDockerRunning();
  const base = withDocker ? "docker" : baseImage;
  const folder = join(cacheDirectory(), "images");
  await mkdir(folder, { recursive: true });
  return withLock(join(folder, "build.lock"), progress, async () => {
    await whileReporting(progress, "bundling the programs", () => buildBundles());
    const images: Partial<Images> = {};
    for (const target of targets) {
      const tag = await contentKey(root, [base, target], contentOf[target]);
      const repository = `${registry}/${target}`;
      const archive = join(folder, `${target}-${tag}.tar`);
      const image = { repository, tag, name: `${repository}:${tag}`, archive };
      if (!(await exists(image.archive))) {
        await whileReporting(progress, `building the ${target} image`, () =>
          build(target, image, withDocker, progress),
        );
        await forgetOld(folder, target);
      }
      images[target] = image;
    }
    return images as Images;
  });
}

/** Makes the images known to the cluster's node, those that it does not have yet. */
export async function loadImages(cluster: LocalCluster, images: Images, progress: Progress): Promise<void> {
  for (const { name, archive } of Object.values(images) as BuiltImage[]) {
    if (await cluster.hasImage(name)) continue;
    await whileReporting(progress, `loading ${name}`, () => cluster.load(archive));
  }
}

const contentOf: Record<Target, readonly string[]> = {
  operator: ["Dockerfile", "dist/runwright.mjs", "dist/kubectl-runwright.mjs"],
  sandbox: ["Dockerfile", "hack/images/launcher.sh", "dist/runwright-sandbox.mjs"],
};

async function build(target: Target, image: BuiltImage, withDocker: boolean, progress: Progress): Promise<void> {
  const unfinished = `${image.archive}.unfinished`;
  await rm(unfinished, { force: true }); // neither tool writes over a file
  if (withDocker) await buildWithDocker(target, image.name, unfinished);
  else await buildWithBuildah(target, image.name, unfinished, progress);
  await rename(unfinished, image.archive);
}

async function buildWithDocker(target: Target, name: string, archive: string): Promise<void> {
  await run("docker", ["build", "--target", target, "--build-arg", "BUNDLES=prebuilt", "--tag", name, root]);
  await run("docker", ["save", "--output", archive, name]);
}

async function buildWithBuildah(target: Target, name: string, archive: string, progress: Progress): Promise<void> {
  await ensureSystemPrograms([{ program: "buildah", debianPackage: "buildah" }], progress);
  const base = await ensureBaseImage(progress);
  const values = ["--build-arg", `NODE_IMAGE=${base}`, "--build-arg", "BUNDLES=prebuilt"];
  // One layer on top of the base: each layer of the vfs driver is a full copy of everything below it.
  const options = ["--quiet", "--pull-never", "--timestamp=0", "--layers=false", "--target", target, "--tag", name];
  await buildah(["build", ...options, ...values, root]);
  await buildah(["push", "--quiet", name, `docker-archive:${archive}:${name}`]);
  // The tar is what is kept: the storage would fill with full copies, and with the containers of stages. It is ours
  // alone, so all that is unnamed in it can go (buildah's own --force-rm fails on a build of several stages).
  await buildah(["rmi", "--force", name]);
  await buildah(["rm", "--all"]);
  await buildah(["rmi", "--prune"]);
}

/** Removes all but the newest archives: another checkout may be about to load one of them. */
async function forgetOld(folder: string, target: Target): Promise<void> {
  const archives = (await readdir(folder))
    .filter((file) => file.startsWith(`${target}-`))
    .map((file) => join(folder, file));
  const dated = await Promise.all(archives.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })));
  const old = dated.sort((a, b) => b.time - a.time).slice(keptArchives);
  for (const { path } of old) await rm(path, { force: true });
}
