import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureGoProgram, goInstall } from "./go-build.ts";

const version = "3.1.3";

/** Gives the path of cosign, which signs releases and checks their signatures, built the first time. */
export async function ensureCosign(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `cosign ${version}`,
      path: join(cacheDirectory(), "cosign", version, "cosign"),
      build: (output, options) => goInstall(`github.com/sigstore/cosign/v3/cmd/cosign@v${version}`, output, options),
    },
    progress,
  );
}
