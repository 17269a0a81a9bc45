import { afterAll, beforeAll, expect, it } from "vitest";

import { Automation } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { aboutOf, isCounted, isEvent, World } from "./world.ts";

/** From a Run's creation until its session is cleaned up. */
const mostReconciles = 12;
const mostEvents = 8;
const ofAutomation = "PATCH automations/status";

let world: World;

beforeAll(async () => {
  world = await World.working();
  await world.warmUp();
});

afterAll(() => world.close());

interface Cost {
  writes: string[];
  events: number;
  /** By controller and outcome. */
  reconciles: { which: string; count: number }[];
}

/** What one Run costs that `start` begins, the write that creates it included. */
async function costOf(name: string, start: (name: string) => Promise<unknown>): Promise<Cost> {
  const { controller, gateway } = world.proxies;
  const marks = { controller: controller.seen.length, gateway: gateway.seen.length };
  const before = await world.reconcilesByOutcome();
  await start(name);
  const run = await world.written(name);
  expect(run.status).toMatchObject({ result: { summary: "Fixed it" } });
  const seen = [...controller.seen.slice(marks.controller), ...gateway.seen.slice(marks.gateway)];
  return {
    writes: ["POST runs", ...seen.filter(isCounted).map(aboutOf)],
    events: seen.filter(isEvent).length,
    reconciles: [...(await world.reconcilesByOutcome())]
      .map(([which, count]) => ({ which, count: count - (before.get(which) ?? 0) }))
      .filter(({ count }) => count > 0),
  };
}

function totalOf({ reconciles }: Cost): number {
  return reconciles.reduce((sum, { count }) => sum + count, 0);
}

it("makes the gateway's certificate in three looks: authority, certificate, nothing more to do", async () => {
  const looks = [...(await world.reconcilesByOutcome())].filter(([which]) => which.includes('"certificate"'));
  expect(looks.reduce((sum, [, count]) => sum + count, 0)).toBe(3);
});

/** Starts a Run whose agent works until the automation shows the Run as active. */
async function startWorking(start: Row["start"], name: string): Promise<void> {
  const release = world.holdAnswers();
  await start(name);
  await until("the automation shows the active Run", async () => {
    const { status } = await world.client.get(Automation, { namespace: world.namespace, name: "fix" });
    return status?.activeRuns === 1 && status.lastRun?.reason === "Running";
  });
  release();
}

interface Row {
  trigger: string;
  name: string;
  start: (name: string) => Promise<unknown>;
  mostWrites: number;
}

const rows: Row[] = [
  // One of them shows the Run as active: a Run that ends within a second goes without it.
  { trigger: "Webhook", name: "delivered", start: (name: string) => world.deliver(name), mostWrites: 16 },
  // The Run says who asked for it; its automation has to show it as active before it starts.
  { trigger: "Manual", name: "by-hand", start: (name: string) => world.startByHand(name), mostWrites: 17 },
];

it.each(rows)("a $trigger Run that works costs $mostWrites writes", async ({ name, start, mostWrites }) => {
  const { writes } = await costOf(`${name}-working`, (one) => startWorking(start, one));
  expect(writes.length, writes.join("\n")).toBe(mostWrites);
  expect(writes.filter((write) => write === ofAutomation)).toHaveLength(2);
});

it.each(rows)("a $trigger Run that ends at once costs no more, 12 reconciles and 8 events", async (row) => {
  const costs: Cost[] = [];
  for (const at of [1, 2, 3]) costs.push(await costOf(`${row.name}-${at}`, row.start));
  for (const cost of costs) {
    const { writes, events } = cost;
    expect(writes.length, writes.join("\n")).toBeGreaterThan(10);
    expect(writes.length, writes.join("\n")).toBeLessThanOrEqual(row.mostWrites);
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThanOrEqual(mostEvents);
  }
  // An Automation is looked at again each minute, which may fall into one of them.
  const reconciles = Math.min(...costs.map(totalOf));
  expect(reconciles, JSON.stringify(costs, null, 1)).toBeLessThanOrEqual(mostReconciles);
});

it("writes nothing when a new controller looks at a settled world", async () => {
  await world.killController();
  const mark = world.proxies.controller.seen.length;
  await world.startController();
  // The Automation, the class, and nine Runs with a session each.
  const objects = 20;
  await until("every object was looked at", async () => (await world.reconciles()) >= objects);
  await world.settled();
  const writes = world.proxies.controller.seen.slice(mark).filter((request) => isCounted(request) || isEvent(request));
  expect(writes.map(aboutOf)).toEqual([]);
});
