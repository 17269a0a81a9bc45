import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { BlobStore } from "./blob-store.ts";
import { DirectoryStore } from "./directory-store.ts";
import { s3Problem } from "./s3-problem.ts";
import type { S3Options } from "./s3-store.ts";

/** Which blob store this release has. */
export type BlobStoreConfig = { type: "directory"; directory: string } | ({ type: "s3" } & S3Options);

interface Deps {
  log: { warn(facts: object, message: string): void };
  clock: Clock;
  random: Random;
}

/** Timeout of the first request to the S3 server, in milliseconds. */
const checkMs = 10_000;

/**
 * Opens the release's blob store. Rejects when the directory cannot be written, and with a BlobSettingError when the bucket
 * does not exist or the credentials are refused. An S3 server that cannot be reached is only logged, as the gateway must
 * start without it.
 */
export async function openBlobStore(config: BlobStoreConfig, deps: Deps): Promise<BlobStore> {
  if (config.type === "directory") return DirectoryStore.open(config.directory, deps);
  // Loaded on demand: a large library that most installations do not need.
  const { S3Store } = await import("./s3-store.ts");
  const store = new S3Store(config, deps.clock);
  const late = new AbortController();
  const timer = deps.clock.setTimeout(() => late.abort(new DOMException("no answer in time", "TimeoutError")), checkMs);
  try {
    await store.check(late.signal);
  } catch (error) {
    const problem = s3Problem(error, config);
    if (problem) throw problem;
    const endpoint = config.endpoint ?? "Amazon's";
    deps.log.warn({ err: error, endpoint }, "RUNWRIGHT_S3_ENDPOINT cannot be reached; blobs are stored once it can");
  } finally {
    timer.cancel();
  }
  return store;
}
