import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureGoProgram, goInstall } from "./go-build.ts";

const version = "0.4.4";

/** Gives the path of krew, kubectl's plugin manager, built the first time. */
export async function ensureKrew(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `krew ${version}`,
      path: join(cacheDirectory(), "krew", version, "krew"),
      build: (output, options) => goInstall(`sigs.k8s.io/krew/cmd/krew@v${version}`, output, options),
    },
    progress,
  );
}
