import { expect, it } from "vitest";

import type { BlobEntry, BlobStore } from "../../../blobs/blob-store.ts";
import { mostImages, SessionImages } from "./session-images.ts";

const { signal } = new AbortController();
const session = { sessionUid: "s", namespace: "shop" };
const gif = (size: number): Buffer => Buffer.from(`GIF89a${"x".repeat(size)}`);

/** A store that has so many images of session `s`, and what is put into it. */
function aStore(count: number): { blobs: Pick<BlobStore, "put" | "get" | "list">; keys: string[] } {
  const keys = Array.from({ length: count }, (_, index) => `s/images/${String(index).padStart(64, "0")}.gif`);
  const entry = (key: string): BlobEntry => ({ key, size: 1, modifiedAt: new Date(0) });
  return {
    keys,
    blobs: {
      put: (key) => Promise.resolve(void keys.push(key)),
      get: () => Promise.resolve(undefined),
      list: async function* (prefix) {
        for (const key of await Promise.resolve([...keys])) if (key.startsWith(prefix)) yield entry(key);
      },
    },
  };
}

it("keeps an image once, below its session's UID, after what says where that is", async () => {
  const { blobs, keys } = aStore(0);
  const images = new SessionImages(blobs);
  const image = await images.store(session, gif(1), signal);
  expect(await images.store(session, gif(1), signal)).toEqual(image);
  await images.store({ sessionUid: "other", namespace: "payments" }, gif(1), signal);
  const name = `${image.digest.slice("sha256:".length)}.gif`;
  expect(keys).toEqual([
    ...["s/namespace/shop", `s/images/${name}`],
    ...["other/namespace/payments", `other/images/${name}`],
  ]);
  expect(await images.missing("s", [image, { ...image, mediaType: "image/png" }], signal)).toEqual([
    { ...image, mediaType: "image/png" },
  ]);
});

it("keeps nothing that is no image", async () => {
  const { blobs, keys } = aStore(0);
  await expect(new SessionImages(blobs).store(session, Buffer.from("GIF"), signal)).rejects.toMatchObject({
    code: "NotAnImage",
  });
  expect(keys).toEqual([]);
});

it("keeps at most 300 of a session, and takes what it has all the same", async () => {
  const { blobs, keys } = aStore(mostImages - 1);
  const images = new SessionImages(blobs);
  const count = (): number => keys.filter((key) => key.startsWith("s/images/")).length;
  await images.store(session, gif(1), signal);
  expect(count()).toBe(mostImages);
  await expect(images.store(session, gif(2), signal)).rejects.toMatchObject({ code: "TooManyImages" });
  await images.store(session, gif(1), signal);
  expect(count()).toBe(mostImages);
});
