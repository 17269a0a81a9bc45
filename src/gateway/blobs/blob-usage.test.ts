import { describe, expect, it } from "vitest";

import type { StoreSpace } from "../../blobs/blob-store.ts";
import { FakeStore } from "../events/fake-store.ts";
import { shownBytes } from "../../lib/shown-bytes.ts";
import { type BlobBudgets, boundsOf } from "./blob-budgets.ts";
import { type BlobPut, BlobUsage } from "./blob-usage.ts";
import { eventBlobOverhead, EventUsage } from "./event-usage.ts";

const [one, other, elsewhere] = [
  { sessionUid: "s1", namespace: "shop" },
  { sessionUid: "s2", namespace: "shop" },
  { sessionUid: "s3", namespace: "payments" },
];

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size));
}

/** A store in which `s1` has 10 bytes, `s2` 20 and `s3` 30, and events that do not count. */
function aWorld(budgets: BlobBudgets, space?: StoreSpace) {
  const store = new FakeStore();
  for (const [{ sessionUid, namespace }, size] of [
    [one, 10],
    [other, 20],
    [elsewhere, 30],
  ] as const) {
    store.blobs.set(`${sessionUid}/namespace/${namespace}`, Buffer.alloc(0));
    store.blobs.set(`${sessionUid}/snapshots/1/a/workspace.tar.zst`, Buffer.alloc(size - 5));
    store.blobs.set(`${sessionUid}/images/a.png`, Buffer.alloc(5));
    store.blobs.set(`${sessionUid}/events/1`, Buffer.alloc(1_000));
  }
  const refused: string[] = [];
  const blobs = Object.assign(store, space && { space: () => Promise.resolve(space) });
  const usage = new BlobUsage({ blobs, budgets, refused: (bound) => refused.push(bound) });
  const put = (size: number, how: BlobPut = {}, place = one): Promise<void> =>
    usage.put(place, `${place.sessionUid}/snapshots/2/b/workspace.tar.zst`, pieces(size - 1, 1), how);
  return { store, usage, put, refused };
}

it("tells how many bytes events have, by namespace, and keeps them apart from all else", async () => {
  const { store } = aWorld({});
  const events = new EventUsage({});
  const usage = new BlobUsage({ blobs: store, budgets: { capacity: 1_000_000 }, events });
  await usage.measure();
  const each = 1_000 + eventBlobOverhead;
  expect(usage.total.used).toBe(60);
  expect(events.total).toEqual({ used: 3 * each, bound: 200_000 });
  expect(events.because("namespace", "shop")).toContain(`namespace shop have used ${shownBytes(2 * each)} of`);
});

describe("room for an archive of 7 bytes", () => {
  it.each<[string, BlobBudgets, BlobBudgets, string]>([
    ["session", { session: 17 }, { session: 16 }, "the session has used"],
    ["namespace", { namespace: 37 }, { namespace: 36 }, "namespace shop has used"],
    [
      "total",
      { total: 67, session: 99, namespace: 99 },
      { total: 66, session: 99, namespace: 99 },
      "the blob store's 66 bytes",
    ],
  ])("is there at the budget of the %s, and not beyond", async (bound, at, beyond, message) => {
    await aWorld(at).put(7);
    const { put, refused, store, usage } = aWorld(beyond);
    await expect(put(7)).rejects.toThrow(message);
    await expect(put(7)).rejects.toThrow("ask the platform team for more");
    expect(refused).toEqual([bound, bound]);
    expect(store.puts).toEqual([]);
    expect(usage.total.used).toBe(60);
  });

  it.each([
    { name: "at the class's limit", classLimit: 7, fits: true },
    { name: "below it", classLimit: 8, fits: true },
    { name: "beyond it", classLimit: 6, fits: false },
  ])("is judged $name", async ({ classLimit, fits }) => {
    const { put, refused } = aWorld({});
    if (fits) await put(7, { classLimit });
    else
      await expect(put(7, { classLimit })).rejects.toThrow(
        "larger than the 6 bytes that the class's workspaceSizeLimit",
      );
    expect(refused).toEqual(fits ? [] : ["class"]);
  });

  it("does not count what it replaces against session and namespace, but against all", async () => {
    await aWorld({ session: 12, namespace: 32 }).put(7, { replaces: 5 });
    await expect(aWorld({ total: 66, session: 99, namespace: 99 }).put(7, { replaces: 5 })).rejects.toThrow(
      "the blob store's",
    );
  });

  it.each([
    { freeBytes: 100, fits: true },
    { freeBytes: 99, fits: false },
  ])("needs a tenth of the volume beside it: $freeBytes of 1000 bytes", async ({ freeBytes, fits }) => {
    const { put, refused } = aWorld({}, { bytes: 1_000, freeBytes });
    if (fits) await put(7);
    else await expect(put(7)).rejects.toThrow("kept for events");
    expect(refused).toEqual(fits ? [] : ["volume"]);
  });
});

it("refuses another namespace nothing while one is full", async () => {
  const { put } = aWorld({ namespace: 37 });
  await put(7);
  await expect(put(1, {}, other)).rejects.toThrow("namespace shop");
  await put(7, {}, elsewhere);
});

it("counts several that are stored at once from their first byte on", async () => {
  const { put, usage } = aWorld({ namespace: 45 });
  const results = await Promise.allSettled([put(8), put(8, {}, other)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(usage.total.used).toBe(68);
});

it("gives back the room of what could not be stored, and of what was deleted", async () => {
  const { put, store, usage } = aWorld({ session: 17 });
  await usage.measure();
  store.failures.push(new Error("away"));
  await expect(put(7)).rejects.toThrow("away");
  await put(7);
  await expect(put(1)).rejects.toThrow("the session has used 17 bytes");
  usage.freed(one, 1);
  await usage.put(one, "s1/images/b.png", new Uint8Array(1));
});

it("is told the same by a later measurement", async () => {
  const { put, usage } = aWorld({});
  await put(7);
  usage.freed(other, 20);
  expect(usage.total.used).toBe(47);
  await usage.measure();
  // What was said to be deleted is there.
  expect(usage.total.used).toBe(67);
});

it("stores nothing before the store was measured, and measures again after a failure", async () => {
  const { put, store } = aWorld({ session: 16 });
  store.failures.push(new Error("away"));
  await expect(put(7)).rejects.toThrow("away");
  await expect(put(7)).rejects.toThrow("the session has used");
});

it.each<[string, BlobBudgets, StoreSpace | undefined, object]>([
  ["a volume", {}, { bytes: 1_000, freeBytes: 0 }, { total: 800, namespace: 400, session: 200 }],
  [
    "an emptyDir on a larger disk",
    { capacity: 100 },
    { bytes: 1_000, freeBytes: 0 },
    { total: 80, namespace: 40, session: 20 },
  ],
  ["a bucket", {}, undefined, { total: Infinity, namespace: Infinity, session: Infinity }],
  ["a bucket with a budget", { total: 8 }, undefined, { total: 8, namespace: 4, session: 2 }],
  [
    "budgets of one's own",
    { session: 1, namespace: 2, total: 3 },
    { bytes: 1_000, freeBytes: 0 },
    { session: 1, namespace: 2, total: 3 },
  ],
])("has bounds by %s", (_, budgets, space, want) => expect(boundsOf(budgets, space)).toEqual(want));

it.each([
  [0, "0 bytes"],
  [1_023, "1023 bytes"],
  [1_024, "1 KiB"],
  [1.5 * 1_024 ** 3, "1.5 GiB"],
])("shows %d as %s", (bytes, want) => expect(shownBytes(bytes)).toBe(want));
