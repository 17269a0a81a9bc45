import { afterAll, beforeAll, expect, it } from "vitest";

import { SandboxClass, SandboxPool, Session } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { aboutOf, isCounted, World } from "./world.ts";

/** One of them shows the Run as active: a Run that ends within a second goes without it. */
const mostWrites = 17;
/** Of the pool: a new member, its pod, the pod's UID, and that it waits. */
const toFill = ["PATCH sandboxpools/status", "PATCH sandboxpools/status", "PATCH sandboxpools/status", "POST pods"];

let world: World;
beforeAll(async () => {
  world = await World.working();
  await world.warmUp();
  await world.client.patch(SandboxClass, { name: "standard" }, { spec: { maxWarmSandboxes: 1 } });
  const spec = { sandboxClassName: "standard", serviceAccountName: "runner", replicas: 1 };
  await world.client.create(SandboxPool, { metadata: keyOf("warm"), spec });
});
afterAll(() => world.close());

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: world.namespace, name });

/** Until so many sandboxes wait, none of which is one of these, and everything is silent. */
async function filled(taken: readonly (string | undefined)[] = [], count = 1): Promise<void> {
  await until(`${count} sandboxes wait`, async () => {
    const { status } = await world.client.get(SandboxPool, keyOf("warm"));
    const { readyReplicas, members = [] } = status ?? {};
    return readyReplicas === count && !members.some(({ podUID }) => taken.includes(podUID));
  });
  await world.settled();
}

/** Until a delivery's Run has succeeded; gives the UID of its sandbox, which the pool had. */
async function succeeded(name: string): Promise<string | undefined> {
  await until("the Run has ended", async () => {
    const { status } = await world.run(name);
    return status?.conditions?.some(({ type, status: is }) => type === "Succeeded" && is === "True") ?? false;
  });
  const run = await world.run(name);
  const key = keyOf(run.status?.sessions?.[0]?.name ?? "");
  const { sandbox } = (await world.client.get(Session, key)).status ?? {};
  expect(sandbox).toMatchObject({ attempt: 1, pool: "warm" });
  return sandbox?.podUID;
}

/** What deliveries of these names cost, until as many sandboxes wait as before. */
async function costOf(names: readonly string[]): Promise<{ ofRuns: string[]; toFill: string[] }> {
  const { controller, gateway } = world.proxies;
  const marks = { controller: controller.seen.length, gateway: gateway.seen.length };
  await Promise.all(names.map((name) => world.deliver(name)));
  await filled(await Promise.all(names.map(succeeded)), names.length);
  const seen = [...controller.seen.slice(marks.controller), ...gateway.seen.slice(marks.gateway)];
  const writes = [...names.map(() => "POST runs"), ...seen.filter(isCounted).map(aboutOf)];
  const isToFill = (write: string): boolean => toFill.includes(write);
  return { ofRuns: writes.filter((one) => !isToFill(one)), toFill: writes.filter(isToFill).sort() };
}

it(`costs at most ${mostWrites} writes a Run, and ${toFill.length} to fill the pool again`, async () => {
  await filled();
  for (const name of ["first", "second", "third"]) {
    const cost = await costOf([name]);
    expect(cost.ofRuns.length, cost.ofRuns.join("\n")).toBeGreaterThan(12);
    expect(cost.ofRuns.length, cost.ofRuns.join("\n")).toBeLessThanOrEqual(mostWrites);
    expect(cost.toFill).toEqual(toFill);
  }
});

it("shares the pool's status between sandboxes that were taken at once", async () => {
  const count = 5;
  await world.client.patch(SandboxClass, { name: "standard" }, { spec: { maxWarmSandboxes: count } });
  await world.client.patch(SandboxPool, keyOf("warm"), { spec: { replicas: count } });
  await filled([], count);
  const cost = await costOf(Array.from({ length: count }, (_, index) => `burst-${index}`));
  expect(cost.ofRuns.length, cost.ofRuns.join("\n")).toBeLessThanOrEqual(mostWrites * count);
  const created = cost.toFill.filter((write) => write === "POST pods");
  expect(created).toHaveLength(count);
  // New members, their UIDs, and that more of them wait: at worst each a second after the one before.
  expect(cost.toFill.length, cost.toFill.join("\n")).toBeLessThanOrEqual(created.length + 2 + count);
});
