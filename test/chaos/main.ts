import { parseArgs } from "node:util";

import { wholeNumber } from "../../bench/whole-number.ts";
import { clusterDown, clusterUp } from "../../hack/cluster/cluster.ts";
import { ensureImages, loadImages } from "../../hack/images/images.ts";
import { installRelease, uninstallRelease } from "../e2e/support/install.ts";
import { makeNarrator } from "../e2e/support/narrator.ts";
import { localWorkbench } from "../e2e/support/workbench.ts";
import { chaos } from "./campaign.ts";
import { startStores, type Stores } from "./stores.ts";

// npm run chaos -- [--minutes N] [--seed N] [--lanes N]
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 999_999_998)) },
    lanes: { type: "string", default: "3" },
  },
});
const minutes = wholeNumber("--minutes", values.minutes, 100_000);
const seed = wholeNumber("--seed", values.seed, 999_999_999);
const lanes = wholeNumber("--lanes", values.lanes, 64);
const narrator = makeNarrator((line) => void process.stderr.write(line));
narrator.say(`${minutes} min, seed ${seed}, ${lanes} senders at once`);
const cluster = await clusterUp(narrator.say);
const bench = localWorkbench(cluster);
let stores: Stores | undefined;
try {
  const images = await ensureImages(narrator.say);
  await loadImages(cluster, [images.operator, images.sandbox], narrator.say);
  stores = await startStores(bench);
  await installRelease(bench, images, narrator, { sets: stores.sets });
  const options = { bench, cluster, stores, narrator, seed, seconds: minutes * 60, lanes, waitsForBlobs: true };
  const outcome = await chaos(options);
  process.stdout.write(`${JSON.stringify({ minutes, seed, lanes, ...outcome }, undefined, 2)}\n`);
  if (outcome.violations.length > 0) process.exitCode = 1;
} finally {
  if (!cluster.isNew) await uninstallRelease(bench, false, narrator);
  await stores?.close();
  await bench.close();
  if (cluster.isNew) await clusterDown(narrator.say);
}
