import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Progress } from "../../lib/progress.ts";
import { ensureDebianPackage } from "../../toolchain/debian-program.ts";
import { ensureNpmProgram } from "../../toolchain/npm-program.ts";
import { platforms } from "../plugin/executable.ts";

const libraries = "usr/aarch64-linux-gnu/lib";

/** Where Node for arm64 looks for the libraries that it is linked with, by Debian's package of each. */
const needed: Readonly<Record<string, readonly [name: string, place: string][]>> = {
  "libc6-arm64-cross": [
    ["ld-linux-aarch64.so.1", "lib"],
    ...["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"].map((name): [string, string] => [
      name,
      "lib/aarch64-linux-gnu",
    ]),
  ],
  "libgcc-s1-arm64-cross": [["libgcc_s.so.1", "lib/aarch64-linux-gnu"]],
  "libstdc++6-arm64-cross": [["libstdc++.so.6", "lib/aarch64-linux-gnu"]],
};

/**
 * Writes what the Dockerfile's stage `node` has for arm64, npm's Node with Debian's libraries, without running anything of it. The
 * folder is a build context of that name.
 */
export async function writeArm64Node(folder: string, progress: Progress): Promise<void> {
  const files = join(folder, "files");
  const node = join(files, "usr/local/bin/node");
  await mkdir(dirname(node), { recursive: true });
  await cp(await ensureNpmProgram(platforms["linux-arm64"], progress), node);
  for (const [debianPackage, names] of Object.entries(needed)) {
    const unpacked = await ensureDebianPackage(debianPackage, progress);
    for (const [name, place] of names) {
      await cp(join(unpacked, libraries, name), join(files, place, name), { dereference: true });
    }
  }
}
