import { expect, it } from "vitest";

import { deleteBlobsOf, notePlace, placeOf } from "./blob-places.ts";
import { FakeStore } from "../events/fake-store.ts";

const keys = ["one/events/1", "one/events/2", "one/namespace/shop", "one/snapshots/1/workspace", "one/whole"];

/** A store that has these blobs, and whose deletions break off after so many. */
function aStore(deletions = Infinity) {
  const store = new FakeStore();
  for (const key of [...keys, "two/events/1"]) store.blobs.set(key, Buffer.from("x"));
  let left = deletions;
  const deleteAll = (prefix: string): Promise<void> => {
    left -= 1;
    if (left < 0) return Promise.reject(new Error("away"));
    if (store.blobs.has(prefix.slice(0, -1))) return Promise.reject(new Error("a file is no folder"));
    for (const key of store.blobs.keys()) if (key.startsWith(prefix)) store.blobs.delete(key);
    return Promise.resolve();
  };
  return { blobs: store.blobs, store: Object.assign(store, { deleteAll }) };
}

it("gives the recorded namespace, and none without a record", async () => {
  const { store } = aStore();
  await notePlace(store, { sessionUid: "two", namespace: "a".repeat(63) });
  expect(await Promise.all(["one", "two", "three"].map((uid) => placeOf(store, uid)))).toEqual([
    "shop",
    "a".repeat(63),
    undefined,
  ]);
});

it("deletes everything of a session and nothing of another", async () => {
  const { store, blobs } = aStore();
  await deleteBlobsOf(store, "one");
  expect([...blobs.keys()]).toEqual(["two/events/1"]);
});

it.each([0, 1, 2])("keeps the record of the namespace when it breaks off after %i deletions", async (deletions) => {
  const { store } = aStore(deletions);
  await expect(deleteBlobsOf(store, "one")).rejects.toThrow("away");
  expect(await placeOf(store, "one")).toBe("shop");
});
