import { beforeEach, expect, it } from "vitest";

import { mediaLimits } from "../../../api/v1alpha1/prompt-media.ts";
import type { BlobEntry, BlobStore } from "../../../blobs/blob-store.ts";
import { mediaName } from "../../../domain/media/media-name.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { NoRoomError } from "../../blobs/blob-budgets.ts";
import { BlobUsage } from "../../blobs/blob-usage.ts";
import { keptMediaMs, SessionMedia } from "./session-media.ts";

const { signal } = new AbortController();
const place = { sessionUid: "s", namespace: "shop" };
const gif = (mark: string, bytes = 10): Buffer => Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(bytes - 6, mark)]);

let clock: FakeClock;
let stored: Map<string, { size: number; modifiedAt: Date }>;
let media: SessionMedia;

beforeEach(() => {
  clock = new FakeClock();
  stored = new Map();
  const entry = ([key, blob]: [string, { size: number; modifiedAt: Date }]): BlobEntry => ({ key, ...blob });
  const blobs: Pick<BlobStore, "put" | "get" | "list" | "delete"> = {
    put: (key, content) => {
      stored.set(key, { size: (content as Uint8Array).length, modifiedAt: clock.now() });
      return Promise.resolve();
    },
    get: () => Promise.resolve(undefined),
    delete: (key) => Promise.resolve(void stored.delete(key)),
    list: async function* (prefix) {
      for (const one of await Promise.resolve([...stored])) if (one[0].startsWith(prefix)) yield entry(one);
    },
  };
  async function* owners(): AsyncGenerator<string> {
    yield await Promise.resolve("s");
  }
  const usage = new BlobUsage({ blobs: { ...blobs, owners }, budgets: { session: 40 * 1_048_576 } });
  media = new SessionMedia({ blobs, usage, clock });
});

const store = async (content: Buffer, promptUid = "p"): Promise<string> =>
  mediaName(await media.store(place, { promptUid, content }, signal));
const keys = (prompt: string): string[] => [...stored.keys()].filter((key) => key.startsWith(`s/media/${prompt}/`));

it("keeps a file once, below its session's and its prompt's UID, after what says where that is", async () => {
  const name = await store(gif("a"));
  expect(await store(gif("a"))).toBe(name);
  expect([...stored.keys()]).toEqual(["s/namespace/shop", `s/media/p/${name}`]);
});

it("takes five of a prompt, and five of the next one", async () => {
  for (const mark of ["a", "b", "c", "d", "e"]) await store(gif(mark));
  await expect(store(gif("f"))).rejects.toMatchObject({ status: 422, code: "LeftOut" });
  await store(gif("a"));
  await store(gif("f"), "q");
  expect([keys("p").length, keys("q").length]).toEqual([mediaLimits.perPrompt, 1]);
});

it.each([
  [5 * 1_048_576, 3],
  [5 * 1_048_576 + 1, 2],
])("takes 25 MiB of a prompt: 10, 10 and %d bytes make %d files", async (bytes, want) => {
  for (const mark of ["a", "b"]) await store(gif(mark, 10 * 1_048_576));
  await store(gif("c", bytes)).catch(() => undefined);
  expect(keys("p")).toHaveLength(want);
});

it("takes no other format, and nothing that the budget has no room for", async () => {
  await expect(store(Buffer.from("hello"))).rejects.toMatchObject({ code: "NotMedia" });
  for (const [prompt, mark] of ["p", "q", "r", "t"].entries()) await store(gif(mark, 10 * 1_048_576), String(prompt));
  await expect(store(gif("z"), "9")).rejects.toBeInstanceOf(NoRoomError);
  expect(keys("9")).toEqual([]);
});

it.each([
  [keptMediaMs - 1, 1],
  [keptMediaMs, 0],
])("keeps files of earlier prompts for a week: after %d ms there are %d", async (ms, want) => {
  await store(gif("a"));
  clock.advance(ms);
  await store(gif("b"), "q");
  expect([keys("p").length, keys("q").length]).toEqual([want, 1]);
});
