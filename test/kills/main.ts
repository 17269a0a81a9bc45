import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

import { buildBundles } from "../../hack/build/bundles.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { startEquippedControlPlane } from "../support/control-plane.setup.ts";
import { programsIn } from "../support/programs.ts";
import { campaign } from "./campaign.ts";
import { parseOptions } from "./options.ts";

// npm run kills -- [--kills N] [--seed N] [--lanes N] [--output json]; SIGTERM ends the killing early
const { kills, seed, lanes, json } = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("kills");
progress(`${kills} kills, seed ${seed}, ${lanes} sessions at once`);
const folder = await mkdtemp(join(tmpdir(), "runwright-programs-"));
await buildBundles(folder);
const plane = await startEquippedControlPlane({ progress });
const startMs = performance.now();
try {
  let told = 0;
  const killed = (count: number): void => {
    if (count < told + 25 && count < kills) return;
    told = count;
    progress(`${count} of ${kills} kills`);
  };
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  const outcome = await campaign({
    plane,
    programs: programsIn(folder),
    seed,
    kills,
    lanes,
    killed,
    stop: stop.signal,
  });
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  const document = { seed, lanes, seconds, load: loadavg()[0], ...outcome };
  process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  if (outcome.violations.length > 0) process.exitCode = 1;
} finally {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
}
