import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { buildBundles } from "../hack/build/bundles.ts";
import { cacheDirectory } from "../hack/lib/cache.ts";
import { run } from "../hack/lib/command.ts";
import type { Progress } from "../hack/lib/progress.ts";
import { ensureGoProgram } from "../hack/toolchain/go-build.ts";

const recipe = join(import.meta.dirname, "load");

/** Gives the path of the load generator, built from `bench/load` when its sources have changed. */
export async function ensureLoad(progress: Progress): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["main.go", "measure.go", "create.go", "post.go", "replay.go", "go.mod", "go.sum"]) {
    hash.update(await readFile(join(recipe, file)));
  }
  return ensureGoProgram(
    {
      title: "the load generator",
      path: join(cacheDirectory(), "bench", hash.digest("hex").slice(0, 12), "load"),
      build: (output, options) => run("go", ["build", "-trimpath", "-o", output, "."], { ...options, cwd: recipe }),
    },
    progress,
  );
}

/** Builds the program that the image holds; gives its path. */
export async function buildRunwright(folder: string): Promise<string> {
  await buildBundles(folder);
  return join(folder, "runwright.mjs");
}
