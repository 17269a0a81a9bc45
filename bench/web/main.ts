import { setTimeout } from "node:timers/promises";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { protocolLimits } from "../../src/api/runtime/limits.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { eventually } from "../../test/support/runtime-world.ts";
import { makeLive } from "../../test/web/live.ts";
import { editRules, openWebWorld, type WebWorld } from "../../test/web/world.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { parseOptions, type WebOptions } from "./options.ts";
import { measureView, type View } from "./views.ts";

// npm run bench:web -- [--output json] [--views N] [--automations N] [--events N]
const options = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const fewAutomations = 20;

const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
try {
  useCluster(plane);
  const world = await openWebWorld();
  try {
    const before = loadNow();
    const figures = await measureViews(world, options);
    const load = { before, after: loadNow() };
    const { views, automations, events, json } = options;
    const command = `npm run bench:web -- --output json --views ${views} --automations ${automations} --events ${events}`;
    const document = { time: new Date().toISOString(), command, machine: await describeMachine(), load, ...figures };
    process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  } finally {
    await world.close();
  }
} finally {
  await plane.stop();
}

async function measureViews(world: WebWorld, { views, automations, events }: WebOptions): Promise<object> {
  const state = await (await world.signIn(await world.people.caller(editRules))).context().storageState();
  const measure = (view: View) => measureView(world.browser, state, view, views);
  await makeAutomations(world, fewAutomations);
  const few = await measure({ url: `${world.url}/`, text: "Listed " });
  await makeAutomations(world, automations - fewAutomations);
  const many = await measure({ url: `${world.url}/`, text: "Listed " });
  const session = await measure(await makeLongSession(world, events));
  return {
    automations: { count: fewAutomations, ...few },
    manyAutomations: { count: automations, ...many },
    session: { events, ...session },
  };
}

async function makeAutomations(world: WebWorld, count: number): Promise<void> {
  progress(`makes ${count} Automations`);
  for (let number = 1; number <= count; number += 1) {
    await world.people.makeAutomation({ spec: { displayName: `Listed ${number}` } });
  }
}

/** A session whose agent wrote so many lines, as fast as the gateway takes them. */
async function makeLongSession(world: WebWorld, events: number): Promise<View> {
  const { say, peer, path } = await makeLive(world);
  const { perSecond } = protocolLimits.events;
  progress(`stores ${events} events, ${perSecond} a second as a runtime does`);
  for (let line = 1; line <= events; line += 1) {
    say(`line ${line}: the agent compares what the tests expect with what the program printed\n`);
    if (line % perSecond === 0) await setTimeout(1_000);
  }
  await eventually("all events are stored", () => peer.acknowledged === events || undefined);
  return { url: `${world.url}${path}`, text: `line ${events}:` };
}
