import { beforeEach, describe, expect, it } from "vitest";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { gatewayLeaseName } from "../../src/api/runtime/pod-contract.ts";
import { annotations } from "../../src/api/v1alpha1/names.ts";
import { heartbeatLimitMs } from "../../src/domain/clocks/limits.ts";
import { unwrittenMs } from "../../src/gateway/attempts/held-lease.ts";
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

describe("the first connection, of which nothing is written yet", () => {
  /** Until then a connection of a live gateway is written; far below the 4 minutes of the connect watchdog. */
  const writtenWithinMs = unwrittenMs + delayMs;
  const ofFirst = [250, 5_000, 15_000, 29_000];
  const connectionStored = (): string | undefined =>
    world.store.get(sessionLease)?.metadata.annotations?.[annotations.connection];

  beforeEach(async () => {
    world = await World.connecting();
  });

  it("is written once it is 30 s old, and no sooner", async () => {
    await world.pass(unwrittenMs - 500);
    expect(world.writesSince(0)).toEqual([]);
    await world.pass(delayMs + 500);
    expect(world.writesSince(0)).toHaveLength(1);
    await world.pass(5 * minute);
    expect(world.writesSince(0)).toHaveLength(1);
    expect(world.endedMs).toBeUndefined();
  });

  it("is written with the end of boot", async () => {
    expect(await world.pair[0].ready()).toBe(true);
    expect(world.store.get(sessionLease)?.metadata.annotations).toHaveProperty([annotations.readyTime]);
    await world.pass(5 * minute);
    expect(world.writesSince(0)).toHaveLength(1);
    expect(world.endedMs).toBeUndefined();
  });

  it.each(ofFirst)("is written for a runtime that falls silent after %d ms, which is found in time", async (ms) => {
    await world.pass(ms);
    stop(world.runtime);
    const silentMs = await world.silenceAtEnd();
    expect(silentMs).toBeGreaterThan(heartbeatLimitMs);
    expect(silentMs).toBeLessThanOrEqual(foundWithinMs);
  });

  it.each(ofFirst)("is not seen where its gateway is killed and the runtime with it after %d ms", async (ms) => {
    await world.pass(ms);
    stop(world.runtime);
    world.kill(world.pair[0]);
    await world.pass(5 * minute);
    // The connect watchdog ends it, as one that never connected.
    expect([world.writesSince(0), world.endedMs]).toEqual([[], undefined]);
  });

  it.each(
    survivable.filter(({ name }) => /gateway('s container)? is (killed|cut|stopped)|may not|controller/.test(name)),
  )(
    "is either written, and the runtime found in time, or not at all, when the runtime falls silent and $name",
    async ({ name, begin, lastsMs = 0, end }) => {
      for (const ms of ofFirst) {
        world = await World.connecting();
        await world.pass(ms);
        begin(world);
        stop(world.runtime);
        const goneMs = world.nowMs;
        await world.pass(lastsMs);
        end?.(world);
        await world.pass(foundWithinMs + minute);
        const isStored = connectionStored() !== undefined;
        // Of a gateway that is lost nothing is, and the runtime is the connect watchdog's.
        if (lastsMs !== 10_000) expect(isStored).toBe(name.includes("controller"));
        expect(world.endedMs !== undefined).toBe(isStored);
        expect((world.endedMs ?? goneMs) - goneMs).toBeLessThanOrEqual(foundWithinMs);
      }
    },
  );

  it.each(survivable)(
    "does not end a runtime that beats, and is written when $name",
    async ({ begin, lastsMs = 0, end }) => {
      for (const ms of ofFirst) {
        world = await World.connecting();
        await world.pass(ms);
        begin(world);
        await world.pass(lastsMs);
        end?.(world);
        await world.pass(writtenWithinMs);
        expect(connectionStored()).toBeDefined();
        await world.pass(3 * minute);
        expect(world.endedMs).toBeUndefined();
        expect(world.store.get(sessionLease)?.spec?.holderIdentity).toContain(world.runtime.gateway?.podName);
      }
    },
  );

  it("gives way to a later one that another replica has written, also with what its runtime said", async () => {
    const [own, other] = world.pair;
    expect(await other.connect(2, () => undefined)).toBe(true);
    expect(await own.ready()).toBe(false);
    await world.pass(writtenWithinMs);
    expect(connectionStored()).toBe("2");
    expect(world.writesSince(0)).toEqual([other.podName]);
  });

  it("is taken from by a later one that is written after it", async () => {
    const [own, other] = world.pair;
    expect(await own.ready()).toBe(true);
    expect(await other.connect(2, () => undefined)).toBe(true);
    expect(connectionStored()).toBe("2");
    expect(world.store.get(sessionLease)?.metadata.annotations).toHaveProperty([annotations.readyTime]);
  });

  it("is written once where the answer to its creation was lost", async () => {
    const [own] = world.pair;
    own.losesAnswers = true;
    expect(await own.ready()).toBe(false);
    own.losesAnswers = false;
    expect(await own.ready()).toBe(true);
    const { metadata } = world.store.get(sessionLease)!;
    expect(metadata.annotations).toMatchObject({ [annotations.connection]: "1" });
    expect(metadata.annotations).toHaveProperty([annotations.readyTime]);
  });
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
