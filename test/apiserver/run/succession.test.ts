import { afterEach, beforeEach, expect, it } from "vitest";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, type SeenRequest, startFaultProxy } from "../../support/fault-proxy.ts";
import { World } from "./world.ts";

let proxy: FaultProxy;
let world: World;
beforeEach(async () => {
  proxy = await startFaultProxy(testCluster());
  world = await World.make(testCluster().kubeconfig, proxy.kubeconfig());
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

/** Holds each watch of these kinds that is opened from now on until it is let go. */
function holdWatches(...plurals: string[]): Record<string, () => void> {
  const held = plurals.map((plural) => ({ plural, gate: Promise.withResolvers<undefined>() }));
  const isOf = ({ isWatch, path }: SeenRequest, plural: string): boolean => isWatch && path.includes(`/${plural}?`);
  proxy.decide(async (request) => {
    await held.find(({ plural }) => isOf(request, plural))?.gate.promise;
    return undefined;
  });
  return Object.fromEntries(held.map(({ plural, gate }) => [plural, () => gate.resolve(undefined)]));
}

async function failures(): Promise<number | undefined> {
  return (await world.automation("triage")).status?.consecutiveFailures;
}

it("a leader whose cache shows Runs as going on that have ended counts none of them again", async () => {
  const automation = await world.createAutomation("triage");
  const first = await world.startOperator();
  const runs = [await world.createDelivery(automation), await world.createDelivery(automation)];
  const names = runs.map(({ metadata }) => metadata.name!);
  for (const name of names) await world.untilPrompt(name);
  await world.rest(first);
  const release = holdWatches("runs", "prompts");
  const second = await world.startStandby();
  for (const name of names) {
    await world.settlePrompt(`${name}-0-1`, false, "Failed");
    await world.untilRun(name, "Failed", 0);
  }
  expect(await failures()).toBe(2);
  await first.stop();
  await second.lead();
  await world.until("it has looked at both Runs", () => second.work.taken("run") >= names.length, 0);

  release.prompts!();
  // It hears of both prompts, and takes the Runs for unsettled.
  const before = second.work.taken("run");
  await world.until("both Runs are judged", () => second.work.taken("run") >= before + names.length, 0);
  expect(await failures()).toBe(2);

  release.runs!();
  await world.rest(second);
  expect(await failures()).toBe(2);
  expect(second.writes).toEqual([]);
});
