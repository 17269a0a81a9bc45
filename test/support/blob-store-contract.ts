import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { describe, expect, it } from "vitest";

import {
  type BlobEntry,
  BlobKeyError,
  type BlobStore,
  BlobTooLargeError,
  isBlobKey,
  longestKey,
} from "../../src/blobs/blob-store.ts";

const megabyte = 1024 * 1024;

/** What every blob store must do; `open` gives an empty one. */
export function itKeepsBlobs(open: () => Promise<BlobStore>): void {
  it("gives back what was put, whole and with its size, and nothing for a key that has nothing", async () => {
    const store = await open();
    await store.put("one/a", bytes("first"));
    await store.put("one/empty", bytes(""));
    expect(await textAt(store, "one/a")).toBe("first");
    expect(await textAt(store, "one/empty")).toBe("");
    expect((await store.get("one/a").then(closed))?.size).toBe(5);
    expect(await store.get("one/b")).toBeUndefined();
    expect(await store.get("two/a/b")).toBeUndefined();
  });

  it("puts a later blob in the place of an earlier one", async () => {
    const store = await open();
    await store.put("one/a", bytes("a long first version"));
    await store.put("one/a", bytes("second"));
    expect(await textAt(store, "one/a")).toBe("second");
    expect((await entries(store, "one/")).map(({ size }) => size)).toEqual([6]);
  });

  it("takes a stream of many parts and gives it back", async () => {
    const store = await open();
    const pieces = Array.from({ length: 20 }, (_, index) => Buffer.alloc(megabyte, index));
    await store.put("one/large", streamOf(pieces));
    const found = await store.get("one/large");
    expect(found?.size).toBe(20 * megabyte);
    expect((await buffer(found?.content ?? Readable.from([]))).equals(Buffer.concat(pieces))).toBe(true);
  });

  it.each([
    { name: "bytes", make: (text: string) => bytes(text) },
    { name: "a stream", make: (text: string) => streamOf([bytes(text.slice(0, 3)), bytes(text.slice(3))]) },
  ])("takes $name up to the limit and stores nothing of more", async ({ make }) => {
    const store = await open();
    await store.put("one/below", make("12345"), { maxBytes: 6 });
    await store.put("one/at", make("123456"), { maxBytes: 6 });
    await expect(store.put("one/above", make("1234567"), { maxBytes: 6 })).rejects.toThrow(BlobTooLargeError);
    expect(await keys(store, "one/")).toEqual(["one/at", "one/below"]);
  });

  it("stores nothing of a stream that breaks, and keeps what was there", async () => {
    const store = await open();
    await store.put("one/a", bytes("before"));
    await expect(store.put("one/a", breaking())).rejects.toThrow("the source broke");
    expect(await textAt(store, "one/a")).toBe("before");
    expect(await keys(store, "one/")).toEqual(["one/a"]);
  });

  it("stores nothing when its signal has ended it", async () => {
    const store = await open();
    const over = new AbortController();
    over.abort();
    await expect(store.put("one/a", streamOf([bytes("text")]), { signal: over.signal })).rejects.toThrow();
    await expect(store.put("one/b", bytes("text"), { signal: over.signal })).rejects.toThrow();
    expect(await keys(store, "one/")).toEqual([]);
  });

  it("lists by prefix in the order of keys, with sizes and times, and after a key", async () => {
    const store = await open();
    const before = Date.now() - 60_000;
    for (const key of ["one/b", "one/a/2", "one/a/10", "one/a-b", "one/a.b", "onetwo/c", "two/d"]) {
      await store.put(key, bytes(key));
    }
    const all = ["one/a-b", "one/a.b", "one/a/10", "one/a/2", "one/b"];
    const found = await entries(store, "one/");
    expect(found.map(({ key }) => key)).toEqual(all);
    expect(found.map(({ size }) => size)).toEqual(all.map((key) => key.length));
    expect(found.every(({ modifiedAt }) => modifiedAt.getTime() > before)).toBe(true);
    expect((await collect(store.list("one/", { atOnce: 2 }))).map(({ key }) => key)).toEqual(all);
    expect(await keys(store, "one/a/")).toEqual(["one/a/10", "one/a/2"]);
    expect(await keys(store, "one/", "one/a.b")).toEqual(["one/a/10", "one/a/2", "one/b"]);
    expect(await keys(store, "three/")).toEqual([]);
  });

  it("says whose blobs there are", async () => {
    const store = await open();
    expect(await collect(store.owners())).toEqual([]);
    for (const key of ["two/a", "one/b", "one/c/d"]) await store.put(key, bytes(key));
    expect(await collect(store.owners())).toEqual(["one", "two"]);
  });

  it("deletes one blob and nothing beside it, and takes one that is not there", async () => {
    const store = await open();
    for (const key of ["one/a", "one/ab", "one/b/c"]) await store.put(key, bytes(key));
    for (const key of ["one/a", "one/a", "two/a"]) await store.delete(key);
    expect(await keys(store, "one/")).toEqual(["one/ab", "one/b/c"]);
  });

  it("deletes by prefix and nothing beside it", async () => {
    const store = await open();
    for (const key of ["one/a", "one/b/c", "one/b/d", "onetwo/a"]) await store.put(key, bytes(key));
    await store.deleteAll("one/b/");
    expect(await keys(store, "one/")).toEqual(["one/a"]);
    await store.deleteAll("one/");
    await store.deleteAll("one/");
    expect(await keys(store, "one/")).toEqual([]);
    expect(await collect(store.owners())).toEqual(["onetwo"]);
  });

  describe("refuses what cannot be a key", () => {
    it.each([
      "",
      "a",
      "/a/b",
      "a/b/",
      "a//b",
      "../a",
      "a/..",
      "a/../../b",
      "a/.b",
      ".unfinished/a",
      "a/b\\c",
      "a/b\0",
      "a/b\n",
      "a/é",
      "1/2/3/4/5/6/7/8/9",
      `a/${"b".repeat(129)}`,
    ])("%j", async (key) => {
      const store = await open();
      expect(isBlobKey(key)).toBe(false);
      await expect(store.put(key, bytes("x"))).rejects.toThrow(BlobKeyError);
      await expect(store.get(key)).rejects.toThrow(BlobKeyError);
      await expect(store.delete(key)).rejects.toThrow(BlobKeyError);
    });

    it.each(["", "/", "a", "../", "a/../", "a//", ".unfinished/"])("prefix %j", async (prefix) => {
      const store = await open();
      await expect(keys(store, prefix)).rejects.toThrow(BlobKeyError);
      await expect(store.deleteAll(prefix)).rejects.toThrow(BlobKeyError);
    });
  });

  it("takes the longest key", async () => {
    const store = await open();
    const long = ["a".repeat(128), "b".repeat(128), "c".repeat(128), "d".repeat(125)].join("/");
    expect(long).toHaveLength(longestKey);
    await store.put(long, bytes("long"));
    expect(await textAt(store, long)).toBe("long");
    expect(isBlobKey(`${long}e`)).toBe(false);
    expect(isBlobKey("1/2/3/4/5/6/7/8")).toBe(true);
  });
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

async function* streamOf(pieces: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes("half"));
  throw new Error("the source broke");
}

async function textAt(store: BlobStore, key: string): Promise<string> {
  const found = await store.get(key);
  return String(await buffer(found?.content ?? Readable.from([])));
}

function closed<Found extends { content: { destroy(): unknown } } | undefined>(found: Found): Found {
  found?.content.destroy();
  return found;
}

async function keys(store: BlobStore, prefix: string, after?: string): Promise<string[]> {
  return (await entries(store, prefix, after)).map(({ key }) => key);
}

function entries(store: BlobStore, prefix: string, after?: string): Promise<BlobEntry[]> {
  return collect(store.list(prefix, after === undefined ? {} : { after }));
}

async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}
