import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { World } from "../../test/apiserver/connector/world.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { buildRunwright } from "../programs.ts";
import { measureFlood } from "./flood.ts";
import { measureIntake } from "./intake.ts";
import { measureMemory } from "./memory.ts";
import { parseOptions } from "./options.ts";
import { measureRest } from "./rest.ts";
import { measureThoughts } from "./thoughts.ts";

// npm run bench:connector -- [--output json] [--conversations N] [--follow-ups N] [--seconds N]
const { conversations, followUps, seconds, json } = parseOptions(process.argv.slice(2));
const perSecond = 50;
const thoughtsPerSecond = 5;
const restHours = 1;
const progress = progressOnStderr("bench");

const machine = await describeMachine();
const before = loadNow();
const memory = await measureMemory(conversations, followUps);
const rest = await measureRest(conversations, followUps, restHours);
const servers = await measureWithServers();
const command = `npm run bench:connector -- --output json --conversations ${conversations} --follow-ups ${followUps} --seconds ${seconds}`;
const document = {
  time: new Date().toISOString(),
  command,
  machine,
  load: { before, after: loadNow() },
  conversations,
  followUps,
  memory,
  rest,
  perSecond,
  thoughtsPerSecond,
  ...servers,
};
process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);

async function measureWithServers(): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
  const program = await buildRunwright(join(folder, "programs"));
  const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
  useCluster(plane);
  try {
    const intake = await inWorld((world) => measureIntake(world, { perSecond, seconds }));
    const flood = await inWorld((world) => measureFlood(world, { perSecond, seconds }, program));
    const thoughts = await inWorld((world) => measureThoughts(world, { perSecond: thoughtsPerSecond, seconds }));
    return { intake, flood, thoughts };
  } finally {
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function inWorld<T>(measure: (world: World) => Promise<T>): Promise<T> {
  const world = await World.make();
  const measured = await measure(world);
  await world.close();
  return measured;
}
