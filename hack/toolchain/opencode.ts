import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "./go-build.ts";

/** The package of the Linux program for any 64-bit Intel or AMD processor, as npm has it. */
const npmPackage = {
  name: "opencode-linux-x64-baseline",
  version: "1.18.33",
  integrity: "sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
} as const;

export const openCodeVersion = npmPackage.version;

/** Gives the coding agent OpenCode's program, fetched from npm the first time; throws where it does not run. */
export async function ensureOpenCode(progress: Progress): Promise<string> {
  if (process.arch !== "x64") throw new Error(`OpenCode is fetched for x64 only, and this machine is ${process.arch}`);
  const path = join(cacheDirectory(), "opencode", npmPackage.version, "opencode");
  if (await exists(path)) return path;
  await withLock(`${path}.lock`, progress, async () => {
    if (await exists(path)) return;
    await whileReporting(progress, `fetching OpenCode ${npmPackage.version} from npm`, () => fetchProgram(path));
  });
  return path;
}

async function fetchProgram(path: string): Promise<void> {
  const { name, version, integrity } = npmPackage;
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
    await run("tar", ["-xzf", archive, "-C", folder, "--strip-components=2", "package/bin/opencode"]);
    await rename(join(folder, "opencode"), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
