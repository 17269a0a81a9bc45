import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { KubeClient } from "./client.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { aConfigMap } from "./fake-controller-world.ts";
import { Informer } from "./informer.ts";
import type { Transport } from "./transport.ts";

const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };

/** Five objects in pages of two; the first `forgotten` reads of a later page are answered with 410. */
function world(forgotten = 0) {
  const steps: string[] = [];
  const read = (path: string): { status: number; text: string } => {
    const token = new URL(path, "http://server").searchParams.get("continue");
    const first = Number(token ?? 0);
    steps.push(`read ${first}`);
    if (token !== null && forgotten > 0) {
      forgotten -= 1;
      return { status: 410, text: JSON.stringify(gone) };
    }
    const items = Array.from({ length: Math.min(2, 5 - first) }, (_item, at) => {
      const { metadata, ...rest } = aConfigMap(`m${first + at}`, { payload: "large" });
      return { ...rest, metadata: { ...metadata, resourceVersion: "5", managedFields: [{}] } };
    });
    const next = first + 2 < 5 ? { continue: `${first + 2}` } : {};
    return { status: 200, text: JSON.stringify({ metadata: { resourceVersion: "7", ...next }, items }) };
  };
  const transport: Transport = {
    send: ({ path }) => Promise.resolve(read(path)),
    stream: (_request, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    close: () => Promise.resolve(),
  };
  const transform = (object: ConfigMap): ConfigMap => {
    steps.push(`keep ${object.kind ?? ""} ${object.metadata.name ?? ""}`);
    delete object.data;
    return object;
  };
  return { steps, transform, client: new KubeClient({ transport, clock: new FakeClock() }) };
}

const names = ["m0", "m1", "m2", "m3", "m4"];

describe("the items of a page", () => {
  it("are made what is kept before the next page is read", async () => {
    const { client, steps, transform } = world();
    const { items, resourceVersion } = await client.list(configMaps, { limit: 2, transform });
    expect(steps).toEqual([
      ...["read 0", "keep ConfigMap m0", "keep ConfigMap m1"],
      ...["read 2", "keep ConfigMap m2", "keep ConfigMap m3"],
      ...["read 4", "keep ConfigMap m4"],
    ]);
    expect(items.map(({ metadata, data }) => [metadata.name, data])).toEqual(names.map((name) => [name, undefined]));
    expect(resourceVersion).toBe("7");
  });

  it("are left whole where nothing else is asked", async () => {
    const { items } = await world().client.list(configMaps);
    expect(items.map(({ data }) => data?.payload)).toEqual(names.map(() => "large"));
  });

  it("are made small by an informer as they come", async () => {
    const { client, steps, transform } = world();
    const deps = { client, clock: new FakeClock(), random: { fraction: () => 1 } };
    const informer = new Informer(deps, configMaps, { transform, auditEveryMs: 0 });
    informer.start();
    await informer.synced();
    expect(steps.indexOf("keep ConfigMap m1")).toBeLessThan(steps.indexOf("read 2"));
    expect(informer.list().map(({ metadata, data }) => [metadata.managedFields, data])).toEqual(
      names.map(() => [undefined, undefined]),
    );
    await informer.stop();
  });
});

describe("a moment that is forgotten in the middle", () => {
  it.each([1, 2])("%i times: begins again and has each item once", async (forgotten) => {
    const { client, steps } = world(forgotten);
    const { items } = await client.list(configMaps);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(steps.filter((step) => step === "read 0")).toHaveLength(1 + forgotten);
  });

  it.each([3, 4])("%i times: is thrown after the third", async (forgotten) => {
    const { client, steps } = world(forgotten);
    await expect(client.list(configMaps)).rejects.toMatchObject({ status: 410 });
    expect(steps.filter((step) => step === "read 0")).toHaveLength(3);
  });
});
