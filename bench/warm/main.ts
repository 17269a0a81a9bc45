import { clusterUp } from "../../hack/cluster/cluster.ts";
import { openEntrance } from "../../test/e2e/support/delivery.ts";
import { RunWatcher } from "../../test/e2e/support/follow.ts";
import { startGitServer } from "../../test/e2e/support/git-server.ts";
import { openInstalledRelease } from "../../test/e2e/support/installed-release.ts";
import { makeNarrator } from "../../test/e2e/support/narrator.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { orderOf, rounded } from "../statistics.ts";
import { type Bare, measureBare } from "./bare.ts";
import { figuresOf, quantiles } from "./figures.ts";
import { parseOptions } from "./options.ts";
import { type Measured, playRound, type Stage, untilBuilt, untilQuiet } from "./round.ts";
import { makeTenant, namespace, removeTenant, type Way, ways } from "./tenant.ts";

// npm run bench:warm -- [--output json] [--rounds N] [--deliveries N] [--beside N] [--per-second N]
const { rounds, deliveries, beside, perSecond, json } = parseOptions(process.argv.slice(2));
const narrator = makeNarrator((line) => void process.stderr.write(line));
const { bench, images, close } = await openInstalledRelease(clusterUp, narrator);
try {
  const git = await startGitServer(bench, `${namespace}-git`, images.sandbox.name, narrator);
  const watcher = new RunWatcher(bench, namespace, narrator);
  try {
    const keys = await makeTenant(bench, git, deliveries);
    await watcher.start();
    const entrance = await openEntrance(bench);
    try {
      const before = loadNow();
      const figures = await measureAll({ bench, entrance, watcher, keys, replicas: deliveries });
      const load = { before, after: loadNow() };
      const command = `npm run bench:warm -- --output json --rounds ${rounds} --deliveries ${deliveries} --beside ${beside} --per-second ${perSecond}`;
      const document = { time: new Date().toISOString(), command, machine: await describeMachine(), load, ...figures };
      process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
    } finally {
      entrance.close();
    }
  } finally {
    await watcher.stop();
    await removeTenant(bench, git);
  }
} finally {
  await close();
}

async function measureAll(stage: Stage): Promise<object> {
  const found: Record<Way, Measured[]> = { warm: [], cold: [], image: [], clone: [] };
  const bare: Bare[] = [];
  await narrator.during("waiting for the prebuilt image", () => untilBuilt(stage.bench));
  // The first of everything is the compilers' and the node's.
  for (const way of ways) await playRound(stage, way, { deliveries: 1, perSecond });
  for (let round = 0; round < rounds; round += 1) {
    for (const way of orderOf(ways, round)) {
      const measured = await playRound(stage, way, { deliveries: way === "warm" ? deliveries : beside, perSecond });
      found[way].push(...measured);
      const { p50Ms, p99Ms, warmShare } = figuresOf(measured);
      const said = `p50 ${p50Ms} ms, p99 ${p99Ms} ms, warm share ${warmShare}`;
      narrator.say(`round ${round + 1}, ${way}, load ${rounded(loadNow())}: ${said}`);
    }
    await untilQuiet(stage);
    bare.push(await measureBare(stage.bench.client, round));
  }
  return {
    ...Object.fromEntries(ways.map((way) => [way, figuresOf(found[way])])),
    barePodStart: quantiles(bare.map(({ podStartMs }) => podStartMs)),
    barePatch: quantiles(bare.flatMap(({ patchMs }) => patchMs)),
  };
}
