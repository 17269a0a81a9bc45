import { beforeEach, describe, expect, it } from "vitest";

import type { BlobEntry, BlobStore } from "../../../blobs/blob-store.ts";
import type { ImageIdentity } from "../../../domain/images/image-key.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { keptForPromptMs, mostImages } from "./room-for-images.ts";
import type { BlobBudgets } from "../../blobs/blob-budgets.ts";
import { BlobUsage } from "../../blobs/blob-usage.ts";
import { SessionImages } from "./session-images.ts";

const { signal } = new AbortController();
const session = { sessionUid: "s", namespace: "shop" };
const gif = (size: number): Buffer => Buffer.from(`GIF89a${"x".repeat(size)}`);
/** The image at this place of {@link fill}. */
const anImage = (at: number): ImageIdentity => ({
  digest: `sha256:${String(at).padStart(64, "0")}`,
  mediaType: "image/gif",
});

let clock: FakeClock;
let keys: Map<string, Date>;
let puts: string[];
let images: SessionImages;
/** Of unfinished prompts; undefined while the prompts cannot be listed. */
let inUse: ImageIdentity[] | undefined;
let lists: number;
let budgets: BlobBudgets;

beforeEach(() => {
  budgets = {};
  clock = new FakeClock();
  keys = new Map();
  puts = [];
  inUse = [];
  lists = 0;
  const entry = ([key, modifiedAt]: [string, Date]): BlobEntry => ({ key, size: 1, modifiedAt });
  const blobs: Pick<BlobStore, "put" | "get" | "list" | "delete"> = {
    put: (key) => {
      puts.push(key);
      keys.set(key, clock.now());
      return Promise.resolve();
    },
    get: () => Promise.resolve(undefined),
    delete: (key) => Promise.resolve(void keys.delete(key)),
    list: async function* (prefix) {
      for (const one of await Promise.resolve([...keys])) if (one[0].startsWith(prefix)) yield entry(one);
    },
  };
  const usage = new BlobUsage({ blobs: { ...blobs, owners }, budgets });
  images = new SessionImages({ blobs, usage, clock });
});

async function* owners(): AsyncGenerator<string> {
  for (const owner of new Set([...keys.keys()].map((key) => key.split("/")[0] ?? "")))
    yield await Promise.resolve(owner);
}

/** Gives the session so many images, of which each was uploaded a second after the one before, the last one an hour ago. */
function fill(count: number): void {
  const lastMs = clock.now().getTime() - keptForPromptMs;
  for (let at = 0; at < count; at += 1) {
    keys.set(`s/images/${String(at).padStart(64, "0")}.gif`, new Date(lastMs - (count - 1 - at) * 1_000));
  }
}

const store = (content: Buffer, of = session): Promise<ImageIdentity> =>
  images.store({
    session: of,
    content,
    inUse: () => {
      lists += 1;
      return inUse ? Promise.resolve(inUse) : Promise.reject(new Error("away"));
    },
    signal,
  });
const count = (): number => [...keys.keys()].filter((key) => key.startsWith("s/images/")).length;
const missing = async (...wanted: ImageIdentity[]): Promise<ImageIdentity[]> => images.missing("s", wanted, signal);

it("keeps an image once, below its session's UID, after what says where that is", async () => {
  const image = await store(gif(1));
  expect(await store(gif(1))).toEqual(image);
  await store(gif(1), { sessionUid: "other", namespace: "payments" });
  const name = `${image.digest.slice("sha256:".length)}.gif`;
  expect(puts).toEqual([
    ...["s/namespace/shop", `s/images/${name}`],
    ...["other/namespace/payments", `other/images/${name}`],
  ]);
  expect(await missing(image, { ...image, mediaType: "image/png" })).toEqual([{ ...image, mediaType: "image/png" }]);
});

it("keeps nothing that is no image", async () => {
  await expect(store(Buffer.from("GIF"))).rejects.toMatchObject({ code: "NotAnImage" });
  expect(puts).toEqual([]);
});

describe("of a session with 300 images", () => {
  it.each([
    { before: mostImages - 2, after: mostImages - 1, released: [] },
    { before: mostImages - 1, after: mostImages, released: [] },
    { before: mostImages, after: mostImages, released: [anImage(0)] },
    { before: mostImages + 2, after: mostImages, released: [anImage(0), anImage(1), anImage(2)] },
  ])("the oldest make room: $before before a further one, $after after it", async ({ before, after, released }) => {
    fill(before);
    const image = await store(gif(1));
    expect(count()).toBe(after);
    expect(await missing(image, ...released, anImage(3))).toEqual(released);
    expect(lists).toBe(before < mostImages ? 0 : 1);
  });

  it("a long session can send images for ever", async () => {
    for (let sent = 0; sent < 3 * mostImages; sent += 1) {
      const image = await store(gif(sent));
      expect(await missing(image)).toEqual([]);
      clock.advance(60_000);
    }
    expect(count()).toBe(mostImages);
  });

  it("those of unfinished prompts stay, and a further one is refused where they all are", async () => {
    fill(mostImages);
    const all = Array.from({ length: mostImages }, (_, at) => anImage(at));
    inUse = all;
    await expect(store(gif(1))).rejects.toMatchObject({ code: "TooManyImages" });
    expect(count()).toBe(mostImages);
    inUse = all.filter((_, at) => at !== 7 && at !== 8);
    const image = await store(gif(1));
    expect(await missing(image, ...all)).toEqual([anImage(7)]);
  });

  it.each([
    { agoMs: keptForPromptMs - 1, isKept: true },
    { agoMs: keptForPromptMs, isKept: false },
    { agoMs: keptForPromptMs + 1, isKept: false },
  ])("one that was uploaded $agoMs ms ago and has no prompt yet is kept: $isKept", async ({ agoMs, isKept }) => {
    fill(mostImages);
    inUse = Array.from({ length: mostImages - 1 }, (_, at) => anImage(at));
    keys.set(`s/images/${String(mostImages - 1).padStart(64, "0")}.gif`, new Date(clock.now().getTime() - agoMs));
    const stored = store(gif(1));
    if (isKept) await expect(stored).rejects.toMatchObject({ code: "TooManyImages" });
    else await stored;
    expect(await missing(anImage(mostImages - 1))).toEqual(isKept ? [] : [anImage(mostImages - 1)]);
  });

  it("an image that is uploaded again counts as new, and is taken whatever the session has", async () => {
    const image = await store(gif(1));
    clock.advance(keptForPromptMs);
    fill(mostImages - 1);
    inUse = undefined;
    expect(await store(gif(1))).toEqual(image);
    expect(keys.get(puts.at(-1)!)).toEqual(clock.now());
    inUse = [];
    await store(gif(2));
    expect(await missing(image, anImage(0))).toEqual([anImage(0)]);
  });

  it("nothing is deleted while the prompts cannot be read", async () => {
    fill(mostImages);
    inUse = undefined;
    await expect(store(gif(1))).rejects.toThrow("away");
    expect(count()).toBe(mostImages);
  });
});

it.each([
  { name: "at the session's budget", size: gif(1).length, message: undefined },
  {
    name: "beyond the session's budget",
    size: gif(1).length - 1,
    message: /the session has used 0 bytes of .*gateway\.blobStore\.budgets\.session/,
  },
])("takes an image $name or says how to get more", async ({ size, message }) => {
  budgets.session = size;
  if (!message) expect(await store(gif(1))).toBeDefined();
  else
    await expect(store(gif(1))).rejects.toMatchObject({
      code: "NoRoom",
      message: expect.stringMatching(message) as unknown,
    });
});
