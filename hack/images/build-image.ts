import { rename, rm } from "node:fs/promises";

import { run } from "../lib/command.ts";
import { buildah } from "./buildah.ts";

/** An image of ours and the docker-archive tar that holds it; the tag says what is in it. */
export interface BuiltImage {
  repository: string;
  tag: string;
  /** `repository:tag`. */
  name: string;
  archive: string;
}

/** What an image is built from. */
export interface Recipe {
  /** Folder whose files the Dockerfile may copy. */
  context: string;
  dockerfile: string;
  /** The Dockerfile's last stage to build; left out, its last one. */
  target?: string;
  /** Build arguments. */
  values: Record<string, string>;
  /** An image of ours that it is built on. */
  base?: BuiltImage;
}

/** Builds an image into its archive with Docker, or with buildah where no engine runs. */
export async function buildImage(image: BuiltImage, recipe: Recipe, withDocker: boolean): Promise<void> {
  const unfinished = `${image.archive}.unfinished`;
  await rm(unfinished, { force: true }); // neither tool writes over a file
  if (withDocker) await buildWithDocker(image.name, recipe, unfinished);
  else await buildWithBuildah(image.name, recipe, unfinished);
  await rename(unfinished, image.archive);
}

async function buildWithDocker(name: string, recipe: Recipe, archive: string): Promise<void> {
  // The archive may have outlived the image in the engine.
  if (recipe.base) await run("docker", ["load", "--quiet", "--input", recipe.base.archive]);
  await run("docker", ["build", "--tag", name, ...argumentsOf(recipe)]);
  await run("docker", ["save", "--output", archive, name]);
}

async function buildWithBuildah(name: string, recipe: Recipe, archive: string): Promise<void> {
  if (recipe.base) await buildah(["pull", "--quiet", `docker-archive:${recipe.base.archive}`]);
  // One layer on top of the base: each layer of the vfs driver is a full copy of everything below it.
  const options = ["--quiet", "--pull-never", "--timestamp=0", "--layers=false", "--tag", name];
  await buildah(["build", ...options, ...argumentsOf(recipe)]);
  await buildah(["push", "--quiet", name, `docker-archive:${archive}:${name}`]);
  // The tar is what is kept: the storage would fill with full copies, and with the containers of stages. It is ours
  // alone, so all that is unnamed in it can go (buildah's own --force-rm fails on a build of several stages).
  await buildah(["rmi", "--force", name, ...(recipe.base ? [recipe.base.name] : [])]);
  await buildah(["rm", "--all"]);
  await buildah(["rmi", "--prune"]);
}

function argumentsOf({ context, dockerfile, target, values }: Recipe): string[] {
  const pairs = Object.entries(values).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  return ["--file", dockerfile, ...(target === undefined ? [] : ["--target", target]), ...pairs, context];
}
