import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureGoProgram } from "./go-build.ts";

const recipe = join(import.meta.dirname, "health");

/** Gives the path of the program that judges objects as kstatus, Argo CD and Flux do, built the first time. */
export async function ensureHealth(progress: Progress): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["main.go", "argo.go", "go.mod", "go.sum"]) hash.update(await readFile(join(recipe, file)));
  return ensureGoProgram(
    {
      title: "the judge of objects' health",
      path: join(cacheDirectory(), "health", hash.digest("hex").slice(0, 12), "health"),
      build: (output, options) =>
        run("go", ["build", "-trimpath", "-ldflags", "-s -w", "-o", output, "."], { ...options, cwd: recipe }),
    },
    progress,
  );
}
