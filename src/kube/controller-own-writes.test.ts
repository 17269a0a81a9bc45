import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { keyOf, keyText } from "../lib/resource.ts";
import { KubeClient } from "./client.ts";
import { Controller } from "./controller.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { aConfigMap, aControllerWorld, settle } from "./fake-controller-world.ts";
import type { FakeCollection } from "./fake-collection.ts";
import { done } from "./outcome.ts";
import type { Transport } from "./transport.ts";

/** A client whose only write, a patch of the object's data, goes to the collection. */
function clientOn(server: FakeCollection<ConfigMap>, beforeAnswer: () => Promise<void>): KubeClient {
  const transport: Transport = {
    async send(request) {
      const { data } = JSON.parse(request.body ?? "{}") as ConfigMap;
      const stored = server.put(aConfigMap("a", data));
      await beforeAnswer();
      return { status: 200, text: JSON.stringify(stored) };
    },
    stream: () => Promise.reject(new Error("not asked for")),
    close: () => Promise.resolve(),
  };
  return new KubeClient({ transport, clock: new FakeClock() });
}

describe("the events of its own writes", () => {
  it.each([
    { name: "that come before the answer", isSlow: false, isVersioned: false },
    { name: "that come before the answer of a conditional write", isSlow: false, isVersioned: true },
    { name: "that come after the answer", isSlow: true, isVersioned: false },
    { name: "that come after the answer of a conditional write", isSlow: true, isVersioned: true },
  ])("$name bring nothing, those of others do", async ({ isSlow, isVersioned }) => {
    const ours: { client?: KubeClient } = {};
    const world = await aControllerWorld(async (key) => {
      if (world.asked.length > 1) return done;
      world.server.isSlow = isSlow;
      const resourceVersion = world.informer.get(key)?.metadata.resourceVersion;
      const metadata = isVersioned ? { metadata: { resourceVersion } } : {};
      await ours.client?.patch(configMaps, key, { ...metadata, data: { x: "ours" } });
      return done;
    });
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    expect(world.informer.list()[0]?.data?.x).toBe(isSlow && !isVersioned ? undefined : "ours");
    world.server.deliver();
    await settle();
    expect(world.informer.list()[0]?.data?.x).toBe("ours");
    expect(world.asked).toEqual(["a"]);
    world.server.put(aConfigMap("a", { x: "theirs" }));
    await settle();
    expect(world.asked).toEqual(["a", "a"]);
  });

  it("do not hide what others wrote meanwhile", async () => {
    const ours: { client?: KubeClient } = {};
    const world = await aControllerWorld(async (key) => {
      if (world.asked.length === 1) {
        world.server.put(aConfigMap("a", { x: "theirs" }));
        await ours.client?.patch(configMaps, key, { data: { x: "ours" } });
      }
      return done;
    });
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    expect(world.asked).toEqual(["a", "a"]);
  });

  it("do not hide that the object was deleted as it was written", async () => {
    const ours: { client?: KubeClient } = {};
    const world = await aControllerWorld(async (key) => {
      if (world.asked.length === 1) await ours.client?.patch(configMaps, key, { data: { x: "ours" } });
      return done;
    });
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    world.server.remove({ namespace: "demo", name: "a" });
    await settle();
    expect(world.asked).toEqual(["a", "a"]);
  });

  it("do not hide that it was deleted while the reconcile still ran", async () => {
    const ours: { client?: KubeClient } = {};
    const world = await aControllerWorld(async (key) => {
      if (world.asked.length > 1) return done;
      await ours.client?.patch(configMaps, key, { data: { x: "ours" } });
      world.server.remove(key);
      return done;
    });
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    expect(world.asked).toEqual(["a", "a"]);
  });

  it("reach the other keys that they concern", async () => {
    const ours: { client?: KubeClient } = {};
    const sibling = { namespace: "demo", name: "sibling" };
    const world = await aControllerWorld(
      async (key) => {
        if (world.asked.length === 1) await ours.client?.patch(configMaps, key, { data: { x: "ours" } });
        return done;
      },
      { keysOf: (object) => [keyOf(object), ...(object.data?.x === "ours" ? [sibling] : [])] },
    );
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    expect(world.asked).toEqual(["a", "sibling"]);
  });

  it("reach other controllers", async () => {
    const ours: { client?: KubeClient } = {};
    const world = await aControllerWorld(async (key) => {
      if (world.asked.length === 1) await ours.client?.patch(configMaps, key, { data: { x: "ours" } });
      return done;
    });
    ours.client = world.controller.clientOf(clientOn(world.server, () => Promise.resolve()));
    const seen: string[] = [];
    const other = new Controller(
      { clock: new FakeClock(), random: { fraction: () => 1 } },
      {
        name: "other",
        reconciler: { reconcile: (key) => (seen.push(keyText(key)), Promise.resolve(done)) },
      },
    );
    other.watch(world.informer, { keysOf: (object) => [keyOf(object)] });
    await other.start();
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    expect([world.asked, seen]).toEqual([["a"], ["demo/a", "demo/a"]]);
  });

  it.each([
    { name: "before the answer", isSlow: false },
    { name: "after the answer", isSlow: true },
  ])("do not end the backoff of the failure that they tell of, come $name", async ({ isSlow }) => {
    const ours: { client?: KubeClient } = {};
    const reconcile = () => Promise.reject(new Error("broken"));
    const world = await aControllerWorld(reconcile, {
      onFailed: async (key) => {
        world.server.isSlow = isSlow;
        await ours.client?.patch(configMaps, key, { data: { x: `failure ${world.asked.length}` } });
      },
    });
    ours.client = world.controller.clientOf(clientOn(world.server, settle));
    world.server.put(aConfigMap("a"));
    await settle();
    await settle();
    world.server.deliver();
    await settle();
    expect([world.asked, world.failures]).toEqual([["a"], ["error"]]);
    world.clock.advance(60_000);
    await settle();
    expect(world.asked).toEqual(["a", "a"]);
  });
});
