import { describe, expect, it } from "vitest";
import { Cache, type Change } from "./cache.ts";
import { type ConfigMap } from "./core-resources.ts";

function aConfigMap(
  name: string,
  resourceVersion: string,
  more: { uid?: string; namespace?: string; team?: string } = {},
): ConfigMap {
  const { uid = `uid-${name}`, namespace = "demo", team } = more;
  const data = team === undefined ? {} : { team };
  return { metadata: { name, namespace, uid, resourceVersion, managedFields: [{}] }, data };
}

function summary(changes: readonly Change<ConfigMap>[]): string[] {
  return changes.map(
    ({ type, object }) => `${type} ${object.metadata.name ?? ""}@${object.metadata.resourceVersion ?? ""}`,
  );
}

function aCache(): Cache<ConfigMap> {
  return new Cache<ConfigMap>({ indexes: { team: ({ data }) => (data?.team === undefined ? [] : [data.team]) } });
}

describe("put", () => {
  it("tells additions from updates and hands over the state before", () => {
    const cache = aCache();
    expect(summary(cache.put(aConfigMap("a", "1")))).toEqual(["added a@1"]);
    const [change] = cache.put(aConfigMap("a", "2"));
    expect(change).toMatchObject({ type: "updated", old: { metadata: { resourceVersion: "1" } } });
  });

  it.each(["4", "5"])("takes no step back from version 5 to %s", (version) => {
    const cache = aCache();
    cache.put(aConfigMap("a", "5"));
    expect(cache.put(aConfigMap("a", version))).toEqual([]);
    expect(cache.get({ namespace: "demo", name: "a" })?.metadata.resourceVersion).toBe("5");
  });

  it("sees that a name was given to another object", () => {
    const cache = aCache();
    cache.put(aConfigMap("a", "1"));
    expect(summary(cache.put(aConfigMap("a", "3", { uid: "other" })))).toEqual(["deleted a@1", "added a@3"]);
  });

  it("freezes, transforms and forgets managed fields", () => {
    const cache = new Cache<ConfigMap>({ transform: ({ metadata }) => ({ metadata, data: { kept: "yes" } }) });
    cache.put(aConfigMap("a", "1", { team: "red" }));
    const held = cache.get({ namespace: "demo", name: "a" });
    expect(held?.data).toEqual({ kept: "yes" });
    expect(held?.metadata).not.toHaveProperty("managedFields");
    expect(Object.isFrozen(held) && Object.isFrozen(held?.metadata) && Object.isFrozen(held?.data)).toBe(true);
  });
});

describe("drop", () => {
  it("forgets what was deleted", () => {
    const cache = aCache();
    cache.put(aConfigMap("a", "1"));
    expect(summary(cache.drop(aConfigMap("a", "2")))).toEqual(["deleted a@1"]);
    expect(cache.size).toBe(0);
    expect(cache.drop(aConfigMap("a", "2"))).toEqual([]);
  });

  it("keeps what was made anew after that deletion", () => {
    const cache = aCache();
    cache.put(aConfigMap("a", "7", { uid: "new" }));
    expect(cache.drop(aConfigMap("a", "6"))).toEqual([]);
    expect(cache.size).toBe(1);
  });
});

describe("replace", () => {
  it("says what was missed and leaves alone what is the same", () => {
    const cache = aCache();
    for (const name of ["same", "changed", "gone"]) cache.put(aConfigMap(name, "1"));
    const items = [aConfigMap("same", "1"), aConfigMap("changed", "4"), aConfigMap("new", "5")];
    expect(summary(cache.replace(items, "6"))).toEqual(["deleted gone@1", "updated changed@4", "added new@5"]);
  });

  it.each([
    { name: "keeps", listVersion: "8", want: [] },
    { name: "gives up", listVersion: "9", want: ["deleted created@9", "updated changed@3"] },
  ])("$name writes of version 9 against a list of version $listVersion", ({ listVersion, want }) => {
    const cache = aCache();
    cache.put(aConfigMap("created", "9"));
    cache.put(aConfigMap("changed", "9"));
    expect(summary(cache.replace([aConfigMap("changed", "3")], listVersion))).toEqual(want);
  });

  it("lets the list win when the server's history was set back", () => {
    const cache = aCache();
    cache.put(aConfigMap("a", "900"));
    cache.put(aConfigMap("b", "901"));
    expect(summary(cache.replace([aConfigMap("a", "5")]))).toEqual(["deleted b@901", "updated a@5"]);
  });
});

describe("indexes", () => {
  it("follow every change", () => {
    const cache = aCache();
    const names = (team: string): unknown[] => cache.byIndex("team", team).map(({ metadata }) => metadata.name);
    cache.put(aConfigMap("a", "1", { team: "red" }));
    cache.put(aConfigMap("b", "2", { team: "red" }));
    cache.put(aConfigMap("c", "3"));
    expect(names("red")).toEqual(["a", "b"]);
    cache.put(aConfigMap("a", "4", { team: "blue" }));
    expect([names("red"), names("blue")]).toEqual([["b"], ["a"]]);
    cache.drop(aConfigMap("b", "5"));
    expect(names("red")).toEqual([]);
  });

  it("list one namespace", () => {
    const cache = aCache();
    cache.put(aConfigMap("a", "1"));
    cache.put(aConfigMap("b", "2", { namespace: "other" }));
    expect(cache.list("other").map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(cache.list()).toHaveLength(2);
  });

  it("must exist to be asked", () => {
    expect(() => aCache().byIndex("colour", "red")).toThrow('there is no index "colour"');
  });
});
