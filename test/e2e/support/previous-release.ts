import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";

import type { Images } from "../../../hack/images/images.ts";
import { run } from "../../../hack/lib/command.ts";
import type { Progress } from "../../../hack/lib/progress.ts";

/** The chart and images of an earlier commit. */
export interface PreviousRelease {
  chart: string;
  images: Images;
}

const root = join(import.meta.dirname, "..", "..", "..");
const madeOf = ["src", "charts", "crds", "Dockerfile", "hack/images", "package-lock.json"];

/**
 * The release as it was before the last commit that changed what it is made of; that commit's files go into `folder`, which
 * is the caller's. A checkout without that commit's parent gives its own: the upgrade then replaces all pods by ones of the
 * same version.
 */
export async function previousRelease(folder: string, progress: Progress): Promise<PreviousRelease> {
  const commit = await previousCommit();
  if (commit === undefined) progress("this checkout has no history: the upgrade is from its own version");
  else await checkOut(commit, folder, progress);
  const from = commit === undefined ? root : folder;
  return { chart: join(from, "charts", "runwright"), images: await imagesOf(from, progress) };
}

async function previousCommit(): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string> => (await run("git", ["-C", root, ...args])).trim();
  const last = await git("log", "-1", "--format=%H", "--", ...madeOf);
  return git("rev-parse", "--verify", "--quiet", `${last}^`).catch(() => undefined);
}

/** Puts the commit's files into the folder, and what they import. */
async function checkOut(commit: string, folder: string, progress: Progress): Promise<void> {
  const archive = join(folder, "tree.tar");
  await run("git", ["-C", root, "archive", "--format=tar", `--output=${archive}`, commit]);
  await run("tar", ["--extract", `--file=${archive}`, `--directory=${folder}`]);
  const lockOf = (of: string): Promise<string> => readFile(join(of, "package-lock.json"), "utf8");
  if ((await lockOf(folder)) === (await lockOf(root))) {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    return;
  }
  progress("installing what the previous version is made of");
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
}

/** Has the own code of a checkout with its dependencies build its images. */
export async function imagesOf(folder: string, progress: Progress): Promise<Images> {
  const script = `
    const { ensureImages } = await import(${JSON.stringify(join(folder, "hack", "images", "images.ts"))});
    const images = await ensureImages((line) => console.error(line));
    console.log(JSON.stringify(images));`;
  const node = ["--input-type=module", "--eval", script];
  const printed = await run(process.execPath, node, { cwd: folder, onErrorLine: progress });
  return JSON.parse(printed) as Images;
}
