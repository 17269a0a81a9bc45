import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../lib/command.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** A repository with the tag of this checkout's version, in the place of the one that people push tags to. */
export interface Origin {
  repository: string;
  tag: string;
  commit: string;
}

/** Makes that repository below `folder`, of the commit that is checked out here. */
export async function makeOrigin(folder: string): Promise<Origin> {
  const repository = join(folder, "origin.git");
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const tag = `v${version}`;
  await run("git", ["init", "--quiet", "--bare", repository]);
  await run("git", ["-C", root, "push", "--quiet", repository, `HEAD:refs/tags/${tag}`]);
  const commit = (await run("git", ["-C", root, "rev-parse", "HEAD"])).trim();
  return { repository, tag, commit };
}

/** Whether files here differ from the commit that is released. */
export async function hasChanges(): Promise<boolean> {
  return (await run("git", ["-C", root, "status", "--porcelain"])).trim() !== "";
}

/** Puts the tag's files into a folder that is empty. */
export async function checkOut({ repository, tag }: Origin, folder: string): Promise<void> {
  await run("git", ["clone", "--quiet", "--branch", tag, "-c", "advice.detachedHead=false", repository, folder]);
}

/** Gives a checkout this one's dependencies, which are the same: both are of one lock file. */
export async function shareDependencies(checkout: string): Promise<void> {
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
}
