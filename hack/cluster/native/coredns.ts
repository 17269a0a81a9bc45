import { join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureGoProgram, goInstall } from "../../toolchain/go-build.ts";

const version = "1.15.0";

/** Gives the path of CoreDNS, built the first time. */
export async function ensureCoreDns(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `CoreDNS ${version}`,
      path: join(cacheDirectory(), "coredns", version, "coredns"),
      build: (output, options) => goInstall(`github.com/coredns/coredns@v${version}`, output, options),
    },
    progress,
  );
}
