import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureGoProgram, goInstall } from "./go-build.ts";

const version = "1.8.0";

/** Gives the path of versitygw, an S3 server over a directory, built the first time. */
export async function ensureS3Server(progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: `versitygw ${version}`,
      path: join(cacheDirectory(), "versitygw", version, "versitygw"),
      build: (output, options) => goInstall(`github.com/versity/versitygw/cmd/versitygw@v${version}`, output, options),
    },
    progress,
  );
}
