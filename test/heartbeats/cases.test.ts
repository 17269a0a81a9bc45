import { beforeEach, describe, expect, it } from "vitest";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { gatewayLeaseName } from "../../src/api/runtime/pod-contract.ts";
import { heartbeatLimitMs } from "../../src/domain/clocks/limits.ts";
import { LeaseStore } from "./lease-store.ts";
import { type Gateway, sessionLease, World } from "./world.ts";

/** Between two looks at anything in the simulation, and a gateway's delay until its next renewal. */
const delayMs = 6_000;
const foundWithinMs = heartbeatLimitMs + protocolTimes.silenceMs + delayMs;
const minute = 60_000;

let world: World;

beforeEach(async () => {
  world = await World.make();
});

/** At a number of moments between two heartbeats. */
const moments = [0, 1_000, 9_750, 17_000, 29_750];

function stop(one: { clock: { isStopped: boolean } }, isStopped = true): void {
  one.clock.isStopped = isStopped;
}

interface Case {
  name: string;
  /** Begins the fault. */
  begin: (world: World) => void;
  /** How long it lasts, in milliseconds; a crash lasts. */
  lastsMs?: number;
  end?: (world: World) => void;
}

let paused: Gateway;

/** Faults that leave the runtime a gateway, or last for a moment. */
const survivable: Case[] = [
  { name: "its gateway is killed", begin: ({ pair: [own] }) => world.kill(own) },
  {
    name: "its gateway's container is killed and started again in the same pod",
    begin: ({ pair: [own] }) => {
      world.kill(own);
      world.start("gateway-1");
    },
  },
  ...[10_000, 16_000, 40_000, 80_000, 95_000, 300_000].map((lastsMs) => ({
    name: `its gateway is stopped for ${lastsMs} ms`,
    lastsMs,
    begin: ({ pair: [own] }: World) => stop((paused = own)),
    end: () => stop(paused, false),
  })),
  ...[10_000, 16_000, 95_000, 300_000].map((lastsMs) => ({
    name: `its gateway is cut off from the API server for ${lastsMs} ms`,
    lastsMs,
    begin: ({ pair: [own] }: World) => void ((paused = own).isCutOff = true),
    end: () => void (paused.isCutOff = false),
  })),
  {
    name: "its gateway cannot reach it any more",
    begin: ({ runtime, pair: [own] }) => void runtime.unreachable.add(own),
  },
  ...[10_000, 60_000, 3_600_000].map((lastsMs) => ({
    name: `the API server is away for ${lastsMs} ms`,
    lastsMs,
    begin: (one: World) => void (one.isApiAway = true),
    end: (one: World) => void (one.isApiAway = false),
  })),
  ...[20_000, 3_600_000].map((lastsMs) => ({
    name: `all gateways are stopped for ${lastsMs} ms`,
    lastsMs,
    begin: ({ gateways }: World) => gateways.forEach((one) => stop(one)),
    end: ({ gateways }: World) => gateways.forEach((one) => stop(one, false)),
  })),
  { name: "the controller is started again", begin: (one) => one.restartController() },
  {
    name: "it is cut off for 45 s",
    lastsMs: 45_000,
    begin: ({ runtime, gateways }) => gateways.forEach((one) => runtime.unreachable.add(one)),
    end: ({ runtime }) => runtime.unreachable.clear(),
  },
  {
    name: "it is stopped for 50 s",
    lastsMs: 50_000,
    begin: ({ runtime }) => stop(runtime),
    end: ({ runtime }) => stop(runtime, false),
  },
  {
    name: "its gateway may not write the session's Lease for a minute",
    lastsMs: minute,
    begin: ({ pair: [own] }) => void ((paused = own).refuses = (name) => name === sessionLease),
    end: () => void (paused.refuses = () => false),
  },
];

describe("a runtime that beats is not ended when", () => {
  it.each(survivable)("$name", async ({ begin, lastsMs = 0, end }) => {
    begin(world);
    await world.pass(lastsMs);
    end?.(world);
    await world.pass(5 * minute);
    expect(world.endedMs).toBeUndefined();
    expect(world.runtime.gateway).toBeDefined();
  });
});

describe("a runtime that falls silent is found after more than 90 s, and within 90 s and one more period, when", () => {
  const faults: Case[] = [
    { name: "nothing else happens", begin: () => undefined },
    ...survivable.filter(({ name }) => /gateway('s container)? is (killed|cut|stopped)|may not/.test(name)),
  ];

  it.each(faults)("at the same time, $name", async ({ name, begin, lastsMs = 0, end }) => {
    for (const momentMs of moments) {
      world = await World.make();
      await world.pass(momentMs);
      begin(world);
      stop(world.runtime);
      await world.pass(lastsMs);
      end?.(world);
      const silentMs = await world.silenceAtEnd();
      // A gateway that is gone has passed on no heartbeat since its last renewal.
      expect(silentMs).toBeGreaterThan(heartbeatLimitMs - (name === "nothing else happens" ? 0 : 5_000));
      expect(silentMs).toBeLessThanOrEqual(foundWithinMs);
    }
  });
});

it("writes no session's Lease at rest", async () => {
  const sinceMs = world.nowMs;
  await world.pass(60 * minute);
  expect(world.writesSince(sinceMs)).toEqual([]);
  expect(world.endedMs).toBeUndefined();
});

it.each([
  [34_000, 0],
  [60_000, 2],
])("after %d ms without a heartbeat the session's Lease was written %d times", async (ms, want) => {
  const sinceMs = world.nowMs;
  // A heartbeat is due now.
  await world.pass(250);
  stop(world.runtime);
  await world.pass(ms);
  stop(world.runtime, false);
  await world.pass(minute);
  expect(world.writesSince(sinceMs)).toHaveLength(want);
});

it("finds a silent runtime within 90 s after an outage of the API server, and one more period", async () => {
  world.isApiAway = true;
  stop(world.runtime);
  await world.pass(10 * minute);
  expect(world.endedMs).toBeUndefined();
  world.isApiAway = false;
  const backMs = world.nowMs;
  await world.silenceAtEnd();
  expect(world.endedMs! - backMs).toBeGreaterThan(heartbeatLimitMs - delayMs);
  expect(world.endedMs! - backMs).toBeLessThanOrEqual(heartbeatLimitMs + delayMs);
});

it("finds a runtime that was noted as silent also under a new controller, and no later for it", async () => {
  stop(world.runtime);
  await world.pass(70_000);
  world.restartController();
  expect(await world.silenceAtEnd()).toBeLessThanOrEqual(foundWithinMs + protocolTimes.heartbeatMs);
});

it("lets no late write of the former replica count", async () => {
  const [own, other] = world.pair;
  stop(own);
  await world.pass(minute);
  expect(world.runtime.gateway).toBe(other);
  const sinceMs = world.nowMs;
  const before = world.store.get(sessionLease);
  stop(own, false);
  await world.pass(5 * minute);
  expect(world.writesSince(sinceMs)).toEqual([]);
  expect(world.store.get(sessionLease)).toEqual(before);
  expect(world.endedMs).toBeUndefined();
});

it("does not renew the gateway's own Lease while a silence is not stored", async () => {
  const [own] = world.pair;
  own.refuses = (name) => name === sessionLease;
  stop(world.runtime);
  const renewals = (): number => world.store.writes.filter(({ name }) => name === gatewayLeaseName(own.podName)).length;
  // The last heartbeat was half a minute ago.
  await world.pass(protocolTimes.silenceMs - protocolTimes.heartbeatMs + 1_000);
  const before = renewals();
  await world.pass(8_000);
  expect(renewals()).toBe(before);
  own.refuses = () => false;
  await world.pass(5_000);
  expect(renewals()).toBe(before + 1);
});

it("makes a deleted Lease again when its runtime falls silent", async () => {
  world.store.delete(sessionLease);
  await world.pass(5 * minute);
  expect(world.endedMs).toBeUndefined();
  stop(world.runtime);
  expect(await world.silenceAtEnd()).toBeLessThanOrEqual(foundWithinMs);
  expect(world.store.get(sessionLease)).toBeDefined();
});

it("simulates the API server's preconditions", async () => {
  const store = new LeaseStore(() => 0);
  const client = store.client("one", () => false);
  const resource = { kind: "Lease" } as never;
  await client.create(resource, { metadata: { name: "a", annotations: { x: "1" } } } as never);
  const patch = (resourceVersion: string): Promise<unknown> =>
    client.patch(resource, { name: "a" }, { metadata: { resourceVersion, annotations: { x: null, y: "2" } } });
  await expect(patch("0")).rejects.toMatchObject({ status: 409 });
  await expect(patch("1")).resolves.toMatchObject({ metadata: { annotations: { y: "2" }, resourceVersion: "2" } });
});
