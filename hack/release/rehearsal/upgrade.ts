import { join } from "node:path";

import { publishedVariable } from "../../../test/e2e/support/new-release.ts";
import { run } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { isDockerRunning } from "../../toolchain/docker.ts";
import type { Published } from "./examine.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/**
 * Upgrades the previous commit's release to the published one on the local cluster while sessions work and deliveries come, takes it
 * away and installs the published one anew: the journey test of upgrades, with this release. Throws where something was lost.
 */
export async function upgradeFromPublished({ registry, version }: Published, progress: Progress): Promise<void> {
  // In kind's node 127.0.0.1 is the node's own.
  if (await isDockerRunning())
    throw new Error("kind's node does not reach the registry: the rehearsal needs the native cluster");
  const env = { [publishedVariable]: `oci://${registry}/charts/runwright:${version}` };
  const test = [join(root, "hack", "run.mjs"), "hack/test/main.ts", "upgrade"];
  await run(process.execPath, test, { cwd: root, env, onErrorLine: progress });
  progress("installed and upgraded from the release with sessions at work: nothing lost");
}
