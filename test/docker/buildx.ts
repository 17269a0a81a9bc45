import { join } from "node:path";

import { cacheDirectory } from "../../hack/lib/cache.ts";
import type { Progress } from "../../hack/lib/progress.ts";
import { ensureGoProgram, goInstall } from "../../hack/toolchain/go-build.ts";

const version = "0.38.2";

/** Gives the path of Docker's build plugin, built the first time. */
export async function ensureBuildx(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `buildx ${version}`,
      path: join(cacheDirectory(), "buildx", version, "buildx"),
      build: (output, options) => goInstall(`github.com/docker/buildx/cmd/buildx@v${version}`, output, options),
    },
    progress,
  );
}
