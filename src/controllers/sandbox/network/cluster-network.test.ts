import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../kube/client.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { ClusterNetwork } from "./cluster-network.ts";

let clock: FakeClock;
let addresses: string[] | Error;
let reads: number;
let changes: number;
let network: ClusterNetwork;

beforeEach(() => {
  clock = new FakeClock();
  addresses = ["198.41.0.1"];
  reads = 0;
  changes = 0;
  const list = (): Promise<object> => {
    reads += 1;
    if (addresses instanceof Error) return Promise.reject(addresses);
    const listed = addresses.map((address) => ({ address, type: "InternalIP" }));
    return Promise.resolve({ items: [{ spec: { podCIDR: "10.244.0.0/24" }, status: { addresses: listed } }] });
  };
  const get = (): Promise<object> => Promise.resolve({ endpoints: [{ addresses: ["198.41.0.9"] }] });
  const client = { list, get } as unknown as Pick<KubeClient, "list" | "get">;
  network = new ClusterNetwork({ client, clock, configured: [] });
  network.onChange(() => {
    changes += 1;
  });
});

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

it("reads when it starts, then each minute, and tells of changes alone", async () => {
  await network.start();
  expect(network.known).toEqual({ ranges: ["198.41.0.1/32", "198.41.0.9/32"], hasUserNamespaces: false });
  expect([reads, changes]).toEqual([1, 1]);
  await pass(59_999);
  expect([reads, changes]).toEqual([1, 1]);
  await pass(1);
  expect([reads, changes]).toEqual([2, 1]);
  addresses = ["198.41.0.2"];
  await pass(60_000);
  expect([reads, changes]).toEqual([3, 2]);
  expect(network.known.ranges).toEqual(["198.41.0.2/32", "198.41.0.9/32"]);
});

it("keeps what it knew while it cannot read, and says so", async () => {
  await network.start();
  addresses = new Error("forbidden");
  await pass(60_000);
  expect(network.known).toEqual({
    ranges: ["198.41.0.1/32", "198.41.0.9/32"],
    hasUserNamespaces: false,
    problem: "Nodes cannot be listed: forbidden",
  });
  addresses = [];
  await pass(60_000);
  expect(network.known).toEqual({ ranges: ["198.41.0.9/32"], hasUserNamespaces: false });
});

it("reads no more once it has stopped", async () => {
  await network.start();
  network.stop();
  await pass(120_000);
  expect(reads).toBe(1);
});

const supports = { name: "", features: { userNamespaces: true } };
const lacks = { name: "", features: { userNamespaces: false } };
it.each<[string, object[], boolean]>([
  ["there are no Nodes", [], false],
  ["the one Node does", [{ runtimeHandlers: [supports] }], true],
  [
    "both Nodes do, beside other runtimes",
    [{ runtimeHandlers: [{ name: "x" }, supports] }, { runtimeHandlers: [supports] }],
    true,
  ],
  ["one of two does not", [{ runtimeHandlers: [supports] }, { runtimeHandlers: [lacks] }], false],
  ["one of two says nothing, as before Kubernetes 1.33", [{ runtimeHandlers: [supports] }, {}], false],
  ["another runtime does alone", [{ runtimeHandlers: [{ ...supports, name: "runc" }, { name: "" }] }], false],
])("knows whether all Nodes support users of pods: %s", async (_, statuses, want) => {
  const list = (): Promise<object> => Promise.resolve({ items: statuses.map((status) => ({ status })) });
  const get = (): Promise<object> => Promise.resolve({ endpoints: [] });
  const client = { list, get } as unknown as Pick<KubeClient, "list" | "get">;
  const known = new ClusterNetwork({ client, clock, configured: [] });
  await known.start();
  expect(known.known.hasUserNamespaces).toBe(want);
});
