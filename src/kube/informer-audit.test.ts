import { describe, expect, it } from "vitest";
import type { ConfigMap } from "./core-resources.ts";
import { aConfigMap, settle } from "./fake-controller-world.ts";
import { aSyncedWorld } from "./fake-informer-world.ts";
import type { InformerOptions } from "./informer.ts";

describe("the audit", () => {
  it("counts what the watch has missed and repairs it", async () => {
    const { server, clock, informer, counted } = await aSyncedWorld({ auditEveryMs: 60_000 });
    server.isDeaf = true;
    server.put(aConfigMap("a", { x: "1" }));
    server.put(aConfigMap("b"));
    server.isDeaf = false;
    clock.advance(60_000);
    await settle();
    clock.advance(5_000);
    await settle();
    clock.advance(200);
    await settle();
    expect(counted).toEqual(["listed start", "drifted 2", "listed drift"]);
    expect(informer.size).toBe(2);
  });

  it("counts what was missed to go away", async () => {
    const { server, clock, counted } = await aSyncedWorld({ auditEveryMs: 60_000 });
    server.isDeaf = true;
    server.remove({ namespace: "demo", name: "a" });
    clock.advance(60_000);
    await settle();
    clock.advance(5_000);
    await settle();
    expect(counted).toContain("drifted 1");
  });

  it("lets a watch that is only late catch up", async () => {
    const { server, clock, counted } = await aSyncedWorld({ auditEveryMs: 60_000 });
    server.isDeaf = true;
    server.put(aConfigMap("a", { x: "1" }));
    server.isDeaf = false;
    clock.advance(60_000);
    await settle();
    server.put(aConfigMap("a", { x: "2" }));
    clock.advance(5_000);
    await settle();
    expect(counted).toEqual(["listed start"]);
  });

  it("never runs when it is switched off", async () => {
    const { server, clock } = await aSyncedWorld({ auditEveryMs: 0 });
    clock.advance(86_400_000);
    await settle();
    expect(server.lists).toBe(1);
  });
});

describe("a write of our own", () => {
  const created = { kind: "created" } as const;

  it("shows at once, and the watch repeats it to no one", async () => {
    const { server, informer, changes } = await aSyncedWorld();
    server.isDeaf = true;
    const stored = server.put(aConfigMap("b"));
    server.isDeaf = false;
    informer.observeWrite(stored, created);
    expect(informer.get({ namespace: "demo", name: "b" })).toEqual(stored);
    server.put(aConfigMap("b", { x: "1" }));
    expect(changes).toEqual(["added a", "added b", "updated b"]);
  });

  it("that followed on a version not seen yet is left to the watch", async () => {
    const { server, informer, changes } = await aSyncedWorld();
    server.isDeaf = true;
    const unseen = server.put(aConfigMap("a", { x: "unseen" }));
    const ours = server.put(aConfigMap("a", { x: "ours" }));
    const { resourceVersion = "" } = unseen.metadata;
    informer.observeWrite(ours, { kind: "version", resourceVersion });
    informer.observeWrite(ours, { kind: "any" });
    expect(changes).toEqual(["added a"]);
  });

  it("that the watch has passed raises nothing from the dead", async () => {
    const { server, informer } = await aSyncedWorld();
    const stored = server.put(aConfigMap("b"));
    server.remove({ namespace: "demo", name: "b" });
    informer.observeWrite(stored, created);
    expect(informer.get({ namespace: "demo", name: "b" })).toBeUndefined();
  });

  it.each<InformerOptions<ConfigMap>>([{ namespace: "other" }, { labelSelector: "a=b" }])(
    "that may not belong to %j is left to the watch",
    async (options) => {
      const { server, informer } = await aSyncedWorld(options);
      server.isDeaf = true;
      informer.observeWrite(server.put(aConfigMap("b")), created);
      expect(informer.size).toBe(1);
    },
  );
});
