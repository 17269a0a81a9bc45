import { afterAll, beforeAll, expect, it } from "vitest";

import { ensureImages } from "../../hack/images/images.ts";
import { clusterUp, type LocalCluster } from "../../hack/cluster/cluster.ts";
import type {} from "../support/cluster.setup.ts";
import { chaos } from "../chaos/campaign.ts";
import { startStores, type Stores } from "../chaos/stores.ts";
import { victimsOn } from "../chaos/victims.ts";
import { installRelease } from "./support/install.ts";
import { makeNarrator } from "./support/narrator.ts";
import { localWorkbench, type Workbench } from "./support/workbench.ts";

let cluster: LocalCluster;
let bench: Workbench;
let stores: Stores;
const narrator = makeNarrator((line) => void process.stderr.write(line));

beforeAll(async () => {
  cluster = await clusterUp(() => undefined);
  bench = localWorkbench(cluster);
  stores = await startStores(bench);
  await install(stores.sets);
});
// Other files find the release as it was.
afterAll(async () => {
  try {
    await install([]);
  } finally {
    await stores.close();
    await bench.close();
  }
});

async function install(sets: readonly string[]): Promise<void> {
  await installRelease(bench, await ensureImages(narrator.say), narrator, { sets });
}

it("loses and doubles nothing, and leaves nothing, in a minute in which each process is killed", async () => {
  const options = { bench, cluster, stores, narrator, seed: 1, seconds: 60, lanes: 2, waitsForBlobs: false };
  const { violations, accepted, kills } = await chaos(options);
  expect(violations).toEqual([]);
  expect(accepted).toBeGreaterThan(1);
  for (const victim of victimsOn(cluster)) expect(kills[victim], victim).toBeGreaterThan(0);
}, 900_000);
