import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { buildBundles } from "../build/bundles.ts";
import type { LocalCluster } from "../cluster/cluster.ts";
import { ensureSystemPrograms } from "../toolchain/system-programs.ts";
import { isDockerRunning } from "../toolchain/docker.ts";
import { cacheDirectory } from "../lib/cache.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "../toolchain/go-build.ts";
import { namingFullDisk, namingObstacles } from "../toolchain/obstacles.ts";
import { ensureOpenCode, openCodeVersion } from "../toolchain/opencode.ts";
import { baseImage, ensureBaseImage } from "./base-image.ts";
import { buildImage, type BuiltImage, type Recipe } from "./build-image.ts";
import { contentKey } from "./content-key.ts";

/** The images that one checkout makes. */
export interface Images {
  operator: BuiltImage;
  sandbox: BuiltImage;
}

const root = join(import.meta.dirname, "..", "..");
const folder = join(cacheDirectory(), "images");
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
  return locked(progress, async () => {
    await whileReporting(progress, "bundling the programs", () => buildBundles());
    const images: Partial<Images> = {};
    for (const target of targets) {
      const tag = await contentKey(root, [withDocker ? "docker" : baseImage, target], contentOf[target]);
      images[target] = await ensureImage(imageOf(target, tag), withDocker, progress, () =>
        recipeOf(target, withDocker, progress),
      );
    }
    return images as Images;
  });
}

/** Builds the sandbox image with the coding agent OpenCode on top; it can stand wherever the sandbox image can. */
export async function ensureOpenCodeImage(sandbox: BuiltImage, progress: Progress): Promise<BuiltImage> {
  const withDocker = await isDockerRunning();
  const context = await ensureOpenCode(progress);
  const dockerfile = join(root, "hack", "images", "opencode.Dockerfile");
  const recipe = { context, dockerfile, values: { SANDBOX_IMAGE: sandbox.name }, base: sandbox };
  return locked(progress, async () => {
    const tag = await contentKey(root, [sandbox.tag, openCodeVersion], ["hack/images/opencode.Dockerfile"]);
    return ensureImage(imageOf("opencode", tag), withDocker, progress, () => Promise.resolve(recipe));
  });
}

/** Makes the images known to the cluster's node, those that it does not have yet. */
export async function loadImages(
  cluster: LocalCluster,
  images: readonly BuiltImage[],
  progress: Progress,
): Promise<void> {
  for (const { name, archive } of images) {
    if (await cluster.hasImage(name)) continue;
    const what = `loading ${name}`;
    await whileReporting(progress, what, () =>
      namingFullDisk(what, placeOf(cluster.kind === "kind"), () => cluster.load(archive)),
    );
  }
}

function locked<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  const place = `${folder} or ${join(root, "dist")}`;
  return namingFullDisk("building the images", place, () => withLock(join(folder, "build.lock"), progress, work));
}

function imageOf(name: string, tag: string): BuiltImage {
  const repository = `${registry}/${name}`;
  return { repository, tag, name: `${repository}:${tag}`, archive: join(folder, `${name}-${tag}.tar`) };
}

async function ensureImage(
  image: BuiltImage,
  withDocker: boolean,
  progress: Progress,
  recipe: () => Promise<Recipe>,
): Promise<BuiltImage> {
  if (await exists(image.archive)) return image;
  if (!withDocker) await ensureSystemPrograms([{ program: "buildah", debianPackage: "buildah" }], progress);
  const name = image.repository.slice(registry.length + 1);
  const what = `building the ${name} image`;
  await whileReporting(progress, what, () =>
    namingObstacles(what, placeOf(withDocker), async () => buildImage(image, await recipe(), withDocker)),
  );
  await forgetOld(name);
  return image;
}

function placeOf(withDocker: boolean): string {
  return withDocker ? "the Docker engine's storage" : cacheDirectory();
}

const contentOf: Record<Target, readonly string[]> = {
  operator: ["Dockerfile", "dist/runwright.mjs", "dist/kubectl-runwright.mjs"],
  sandbox: ["Dockerfile", "hack/images/launcher.sh", "dist/runwright-sandbox.mjs"],
};

async function recipeOf(target: Target, withDocker: boolean, progress: Progress): Promise<Recipe> {
  const base = withDocker ? {} : { NODE_IMAGE: await ensureBaseImage(progress) };
  const values = { BUNDLES: "prebuilt", ...base };
  return { context: root, dockerfile: join(root, "Dockerfile"), target, values };
}

/** Removes all but the newest archives: another checkout may be about to load one of them. */
async function forgetOld(name: string): Promise<void> {
  const archives = (await readdir(folder))
    .filter((file) => file.startsWith(`${name}-`))
    .map((file) => join(folder, file));
  const dated = await Promise.all(archives.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })));
  const old = dated.sort((a, b) => b.time - a.time).slice(keptArchives);
  for (const { path } of old) await rm(path, { force: true });
}
