import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { KubeError } from "./errors.ts";
import { FakeCollection } from "./fake-collection.ts";
import { aConfigMap, settle } from "./fake-controller-world.ts";
import { anInformerWorld, aSyncedWorld } from "./fake-informer-world.ts";
import { Reflector } from "./reflector.ts";

function answered(status: number, more: { retryAfterSeconds?: number; cause?: string } = {}): KubeError {
  const details = more.cause === undefined ? undefined : { causes: [{ reason: more.cause }] };
  const { retryAfterSeconds } = more;
  return new KubeError({
    message: "injected",
    status,
    reason: "Injected",
    delivery: "received",
    retryAfterSeconds,
    details,
  });
}

const broken = new KubeError({ message: "broken", status: 0, reason: "ConnectionFailed", delivery: "lost" });

describe("following a collection", () => {
  it("lists once and goes on from there", async () => {
    const { server, informer, changes } = await aSyncedWorld();
    server.put(aConfigMap("b"));
    server.put(aConfigMap("a", { x: "1" }));
    server.remove({ namespace: "demo", name: "b" });
    expect(changes).toEqual(["added a", "added b", "updated a", "deleted b"]);
    expect([server.lists, server.places]).toEqual([1, ["101"]]);
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });

  it("has not synced before the first list has come", async () => {
    const { server, informer, clock } = anInformerWorld();
    server.failNext(broken);
    informer.start();
    await settle();
    expect(informer.hasSynced).toBe(false);
    clock.advance(250);
    await informer.synced();
    expect(informer.hasSynced).toBe(true);
  });

  it("shows late handlers what is there", async () => {
    const { informer } = await aSyncedWorld();
    const late: string[] = [];
    const stop = informer.onChange(({ type, object }) => void late.push(`${type} ${object.metadata.name ?? ""}`));
    expect(late).toEqual(["added a"]);
    stop();
  });

  it("keeps a change from no one because another handler failed", async () => {
    const { server, informer } = await aSyncedWorld();
    informer.onChange(({ object }) => {
      if (object.metadata.name === "b") throw new Error("a bug");
    });
    const seen: unknown[] = [];
    informer.onChange(({ object }) => void seen.push(object.metadata.name));
    server.put(aConfigMap("b"));
    server.put(aConfigMap("c"));
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("stops without leaving a watch or a timer", async () => {
    const { server, clock, informer } = await aSyncedWorld();
    await informer.stop();
    expect([server.openWatches, clock.timers]).toEqual([0, 0]);
  });
});

describe("a watch that ends", () => {
  it("goes on at the last bookmark, nearly at once", async () => {
    const { server, clock } = await aSyncedWorld();
    server.bookmark();
    clock.advance(60_000);
    server.endWatches();
    await settle();
    clock.advance(100);
    await settle();
    expect([server.lists, server.places]).toEqual([1, ["101", "102"]]);
  });

  it.each([
    { name: "a broken connection", error: broken, waitsMs: [188, 375, 750] },
    { name: "an error of the server", error: answered(500), waitsMs: [188, 375, 750] },
    { name: "missing rights", error: answered(403), waitsMs: [188, 375, 750] },
    {
      name: "a server that asks for 3 s",
      error: answered(429, { retryAfterSeconds: 3 }),
      waitsMs: [3_750, 3_750, 3_750],
    },
  ])("waits longer each time after $name, and keeps its place", async ({ error, waitsMs }) => {
    const { server, clock } = await aSyncedWorld();
    server.failNext(error, error);
    server.endWatches(error);
    for (const waitMs of waitsMs) {
      await settle();
      const before = server.places.length;
      clock.advance(waitMs - 2);
      await settle();
      expect([server.places.length, server.lists]).toEqual([before, 1]);
      clock.advance(2);
    }
    await settle();
    expect(server.places).toEqual(["101", "101"]);
  });

  it("begins with the shortest wait again once something was heard", async () => {
    const { server, clock } = await aSyncedWorld();
    server.failNext(broken, broken);
    server.endWatches(broken);
    for (const waitMs of [188, 375, 750]) {
      await settle();
      clock.advance(waitMs);
    }
    await settle();
    server.bookmark();
    server.endWatches(broken);
    await settle();
    clock.advance(188);
    await settle();
    expect(server.places).toEqual(["101", "101", "102"]);
  });

  it("waits, too, for a server that ends every watch at once", async () => {
    const { server, clock } = await aSyncedWorld();
    for (let times = 0; times < 20; times += 1) {
      server.endWatches();
      await settle();
      clock.advance(100);
      await settle();
    }
    expect(server.places.length).toBeLessThan(8);
  });

  it.each([
    { name: "expired", error: answered(410), want: "listed expired" },
    { name: "was refused as bad", error: answered(400), want: "listed expired" },
    {
      name: "lies after the server's history",
      error: answered(504, { cause: "ResourceVersionTooLarge" }),
      want: "listed expired",
    },
  ])("lists anew when the place $name, and tells what was missed", async ({ error, want }) => {
    const { server, clock, changes, counted } = await aSyncedWorld();
    server.isDeaf = true;
    server.put(aConfigMap("b"));
    server.remove({ namespace: "demo", name: "a" });
    server.isDeaf = false;
    server.endWatches(error);
    await settle();
    clock.advance(250);
    await settle();
    expect(counted).toEqual(["listed start", "watch failed", want]);
    expect(changes).toEqual(["added a", "deleted a", "added b"]);
  });

  it("believes a server whose history was set back", async () => {
    const { server, clock, informer } = await aSyncedWorld();
    server.setBack(7);
    server.endWatches(answered(410));
    await settle();
    clock.advance(250);
    await settle();
    expect(informer.get({ namespace: "demo", name: "a" })?.metadata.resourceVersion).toBe("7");
  });
});

it("adds no listener with each new watch", async () => {
  const server = new FakeCollection<ConfigMap>();
  const clock = new FakeClock();
  const quiet = { listed: () => undefined, changed: () => undefined, ended: () => undefined };
  const options = {
    client: server,
    clock,
    random: { fraction: () => 0 },
    resource: configMaps,
    selection: {},
    idleTimeoutMs: 1_000,
  };
  const abort = new AbortController();
  const running = new Reflector(options, quiet).run(abort.signal);
  const counts: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    await settle();
    counts.push(getEventListeners(abort.signal, "abort").length);
    clock.advance(2_000);
    server.endWatches(round % 2 === 0 ? answered(410) : undefined);
    await settle();
    clock.advance(20_000);
  }
  abort.abort();
  await running;
  expect(new Set(counts)).toEqual(new Set([1]));
  expect([server.openWatches, clock.timers]).toEqual([0, 0]);
});
