import { expect, it } from "vitest";
import type { SeenRequest } from "../../support/fault-proxy.ts";
import { proxiedWorld } from "./proxied-world.ts";

const open = proxiedWorld();

/** Holds each watch of these kinds that is opened from now on until it is let go. */
function holdWatches(...plurals: string[]): Record<string, () => void> {
  const held = plurals.map((plural) => ({ plural, gate: Promise.withResolvers<undefined>() }));
  const isOf = ({ isWatch, path }: SeenRequest, plural: string): boolean => isWatch && path.includes(`/${plural}?`);
  open.proxy.decide(async (request) => {
    await held.find(({ plural }) => isOf(request, plural))?.gate.promise;
    return undefined;
  });
  return Object.fromEntries(held.map(({ plural, gate }) => [plural, () => gate.resolve(undefined)]));
}

async function failures(): Promise<number | undefined> {
  return (await open.world.automation("triage")).status?.consecutiveFailures;
}

it("a leader whose cache shows Runs as going on that have ended counts none of them again", async () => {
  const automation = await open.world.createAutomation("triage");
  const first = await open.world.startOperator();
  const runs = [await open.world.createDelivery(automation), await open.world.createDelivery(automation)];
  const names = runs.map(({ metadata }) => metadata.name!);
  for (const name of names) await open.world.untilPrompt(name);
  await open.world.rest(first);
  const release = holdWatches("runs", "prompts");
  const second = await open.world.startStandby();
  for (const name of names) {
    await open.world.settlePrompt(`${name}-0-1`, false, "Failed");
    await open.world.untilRun(name, "Failed", 0);
  }
  expect(await failures()).toBe(2);
  await first.stop();
  await second.lead();
  await open.world.until("it has looked at both Runs", () => second.work.taken("run") >= names.length, 0);

  release.prompts!();
  // It hears of both prompts, and takes the Runs for unsettled.
  const before = second.work.taken("run");
  await open.world.until("both Runs are judged", () => second.work.taken("run") >= before + names.length, 0);
  expect(await failures()).toBe(2);

  release.runs!();
  await open.world.rest(second);
  expect(await failures()).toBe(2);
  expect(second.writes).toEqual([]);
});
