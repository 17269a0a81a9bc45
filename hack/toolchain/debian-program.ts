import { chmod, mkdtemp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { isOnPath, run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "./go-build.ts";
import { namingObstacles } from "./obstacles.ts";

/** A program of Debian's that tests run beside ours. */
export interface DebianProgram {
  program: string;
  debianPackage: string;
  /** Where the package has it, such as `usr/bin/promtool`. */
  path: string;
}

/**
 * Gives a program: the one on PATH, else that of Debian's package, which is unpacked into the cache and not installed.
 * Throws where neither can be had.
 */
export async function ensureDebianProgram(wanted: DebianProgram, progress: Progress): Promise<string> {
  const { program, debianPackage, path: inPackage } = wanted;
  if (await isOnPath(program)) return program;
  const path = join(cacheDirectory(), program, program);
  if (await exists(path)) return path;
  if (!(await isOnPath("apt-get")) || !(await isOnPath("dpkg-deb"))) {
    throw new Error(`put ${program} on PATH; there is no apt to take it from Debian's package ${debianPackage}`);
  }
  await withLock(`${path}.lock`, progress, async () => {
    if (await exists(path)) return;
    await mkdir(dirname(path), { recursive: true });
    const what = `unpacking ${program} from Debian's package ${debianPackage}`;
    await whileReporting(progress, what, () =>
      unpack(debianPackage, dirname(path), (folder) => rename(join(folder, inPackage), path)),
    );
  });
  return path;
}

/** Gives the folder of a whole Debian package, unpacked into the cache and not installed, so that no service of its starts. */
export async function ensureDebianPackage(debianPackage: string, progress: Progress): Promise<string> {
  const place = join(cacheDirectory(), debianPackage);
  await withLock(`${place}.lock`, progress, async () => {
    if (await exists(place)) return;
    await whileReporting(progress, `unpacking Debian's package ${debianPackage}`, () =>
      unpack(debianPackage, cacheDirectory(), (folder) => rename(folder, place)),
    );
  });
  return place;
}

/** Unpacks a package beside its place and hands the folder to `keep`. */
async function unpack(debianPackage: string, beside: string, keep: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(beside, ".unfinished-"));
  // As root, apt downloads as a user of its own.
  await chmod(folder, 0o777);
  const download = (): Promise<string> => run("apt-get", ["download", debianPackage], { cwd: folder });
  try {
    await namingObstacles(`unpacking Debian's package ${debianPackage}`, beside, async () => {
      // A list that is there is used first: fetching it anew takes longer than the download.
      await download().catch(async () => {
        await run("apt-get", ["update"]);
        return download();
      });
      const [archive = ""] = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
      await run("dpkg-deb", ["--extract", archive, "unpacked"], { cwd: folder });
    });
    await keep(join(folder, "unpacked"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
