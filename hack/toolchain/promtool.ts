import { chmod, mkdtemp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { isOnPath, run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "./go-build.ts";

/**
 * Gives promtool: the one on PATH, else the one of Debian's package `prometheus`, which is unpacked into the cache and
 * not installed. Building it takes half an hour. Throws where neither can be had.
 */
export async function ensurePromtool(progress: Progress): Promise<string> {
  if (await isOnPath("promtool")) return "promtool";
  const path = join(cacheDirectory(), "promtool", "promtool");
  if (await exists(path)) return path;
  if (!(await isOnPath("apt-get")) || !(await isOnPath("dpkg-deb"))) {
    throw new Error("put promtool on PATH; there is no apt to take it from Debian's package prometheus");
  }
  await withLock(`${path}.lock`, progress, async () => {
    if (await exists(path)) return;
    await whileReporting(progress, "unpacking promtool from Debian's package prometheus", () => unpack(path));
  });
  return path;
}

async function unpack(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(join(dirname(path), ".unfinished-"));
  // As root, apt downloads as a user of its own.
  await chmod(folder, 0o777);
  const download = (): Promise<string> => run("apt-get", ["download", "prometheus"], { cwd: folder });
  try {
    // A list that is there is used first: fetching it anew takes longer than the download.
    await download().catch(async () => {
      await run("apt-get", ["update"]);
      return download();
    });
    const [archive = ""] = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    await run("dpkg-deb", ["--extract", archive, "."], { cwd: folder });
    await rename(join(folder, "usr", "bin", "promtool"), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
