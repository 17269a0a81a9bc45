import { homedir } from "node:os";
import { join } from "node:path";

/** Where tools, images and the local cluster's state live: outside every checkout, so that clones share them. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const chosen = environment.RUNWRIGHT_CACHE;
  return chosen === undefined || chosen === "" ? join(homedir(), ".cache", "runwright") : chosen;
}
