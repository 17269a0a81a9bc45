import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import type { Progress } from "../lib/progress.ts";
import { helm } from "./fetch/pins.ts";
import { ensureGoProgram, goInstall } from "./go-build.ts";

const { title, version } = helm;

/** Gives the path of helm, downloaded or built the first time. */
export async function ensureHelm(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title,
      published: helm,
      path: join(cacheDirectory(), "helm", version, "helm"),
      build: (output, options) => goInstall(`helm.sh/helm/v3/cmd/helm@v${version}`, output, options),
    },
    progress,
  );
}
