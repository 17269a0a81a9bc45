import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { run } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureGoProgram } from "../../toolchain/go-build.ts";

const recipe = join(import.meta.dirname, "pause");

/** Gives the path of the static program that holds a pod's namespaces open. */
export async function ensurePause(progress: Progress): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(join(recipe, "main.go")))
    .digest("hex")
    .slice(0, 12);
  return ensureGoProgram(
    {
      title: "the pause program",
      path: join(cacheDirectory(), "pause", version, "pause"),
      build: (output, options) =>
        run("go", ["build", "-trimpath", "-ldflags", "-s -w", "-o", output, "."], { ...options, cwd: recipe }),
    },
    progress,
  );
}
