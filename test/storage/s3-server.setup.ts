import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureS3Server } from "../../hack/toolchain/s3-server.ts";

/** Builds the server before any test's time runs. */
export default async function setup(): Promise<void> {
  await ensureS3Server(progressOnStderr("S3 server"));
}
