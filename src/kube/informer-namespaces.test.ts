import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { KubeError } from "./errors.ts";
import { FakeCollection } from "./fake-collection.ts";
import { settle } from "./fake-controller-world.ts";
import { Informer, type InformerDeps } from "./informer.ts";

const expired = new KubeError({ message: "too old", status: 410, reason: "Expired", delivery: "received" });

function aMap(namespace: string, name: string): ConfigMap {
  return { metadata: { namespace, name } };
}

/** An informer of two namespaces, each with a collection of its own that the test may break alone. */
function aWorld() {
  const parts = { one: new FakeCollection<ConfigMap>(), two: new FakeCollection<ConfigMap>() };
  const part = (namespace: string | undefined): FakeCollection<ConfigMap> => {
    if (namespace === "one" || namespace === "two") return parts[namespace];
    throw new Error(`asked for namespace ${namespace ?? "all"}`);
  };
  const client = {
    list: (resource, options) => part(options?.namespace).list(resource, options),
    watch: (resource, options, sink) => part(options.namespace).watch(resource, options, sink),
  } satisfies InformerDeps["client"];
  const clock = new FakeClock();
  const informer = new Informer({ client, clock, random: { fraction: () => 0.5 } }, configMaps, {
    namespaces: ["one", "two"],
  });
  const names = (): string[] => informer.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return { ...parts, clock, informer, names };
}

describe("following some namespaces", () => {
  it("shows what is in each of them", async () => {
    const { one, two, informer, names } = aWorld();
    one.put(aMap("one", "a"));
    two.put(aMap("two", "a"));
    informer.start();
    await informer.synced();
    await settle();
    two.put(aMap("two", "b"));
    expect(names()).toEqual(["one/a", "two/a", "two/b"]);
    expect(informer.list("two")).toHaveLength(2);
  });

  it("is synced when the last of them was listed", async () => {
    const { two, clock, informer } = aWorld();
    two.failNext(expired);
    informer.start();
    await settle();
    expect(informer.hasSynced).toBe(false);
    clock.advance(250);
    await informer.synced();
    expect(informer.hasSynced).toBe(true);
  });

  it("is as far as the namespace that is furthest behind", async () => {
    const { one, two, informer } = aWorld();
    expect(informer.place).toBeUndefined();
    for (const name of ["a", "b", "c"]) one.put(aMap("one", name));
    informer.start();
    await informer.synced();
    await settle();
    expect(informer.place).toBe("100");
    for (const name of ["a", "b"]) two.put(aMap("two", name));
    expect(informer.place).toBe("102");
    two.bookmark();
    two.bookmark();
    expect(informer.place).toBe("103");
  });

  it("keeps one's objects when another is listed anew", async () => {
    const { one, two, clock, informer, names } = aWorld();
    one.put(aMap("one", "a"));
    two.put(aMap("two", "a"));
    informer.start();
    await informer.synced();
    await settle();
    two.isDeaf = true;
    two.remove({ namespace: "two", name: "a" });
    two.endWatches(expired);
    await settle();
    clock.advance(1_000);
    await settle();
    expect(two.lists).toBe(2);
    expect(names()).toEqual(["one/a"]);
  });

  it("takes in a write of its own by the place of its namespace", async () => {
    const { one, two, informer, names } = aWorld();
    informer.start();
    await informer.synced();
    await settle();
    for (const name of ["a", "b", "c"]) two.put(aMap("two", name));
    one.isSlow = true;
    informer.observeWrite(one.put(aMap("one", "mine")), { kind: "created" });
    expect(names()).toContain("one/mine");
    informer.observeWrite({ metadata: { namespace: "three", name: "d", resourceVersion: "999" } }, { kind: "created" });
    expect(names()).not.toContain("three/d");
  });
});
