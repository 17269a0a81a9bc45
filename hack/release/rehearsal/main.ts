import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { progressOnStderr } from "../../lib/progress.ts";
import { startRegistry } from "./registry.ts";
import { rehearseRelease } from "./rehearse.ts";
import { hasChanges } from "./sources.ts";
import { upgradeFromPublished } from "./upgrade.ts";

const usage = `npm run rehearsal -- [OPTIONS]
  --no-cluster   end when the release is published and checked: nothing is installed`;

const progress = progressOnStderr("rehearsal");

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { cluster: { type: "boolean", default: true } }, allowNegative: true });
  if (await hasChanges()) progress("what is not committed is not in the release that is rehearsed");
  const folder = await mkdtemp(join(tmpdir(), "runwright-rehearsal-"));
  try {
    const registry = await startRegistry(join(folder, "registry"), progress);
    try {
      const release = await rehearseRelease(folder, registry, progress);
      if (values.cluster) await upgradeFromPublished(release, progress);
    } finally {
      await registry.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  progress("left out: the sandbox image for arm64, whose instructions run programs of it");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof TypeError && "code" in error) console.error(usage);
  process.exitCode = 1;
}
