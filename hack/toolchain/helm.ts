import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureGoProgram, goInstall } from "./go-build.ts";

const version = "3.22.0";

/** Gives the path of helm, built the first time. */
export async function ensureHelm(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `helm ${version}`,
      path: join(cacheDirectory(), "helm", version, "helm"),
      build: (output, options) => goInstall(`helm.sh/helm/v3/cmd/helm@v${version}`, output, options),
    },
    progress,
  );
}
