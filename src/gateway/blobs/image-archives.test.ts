import { expect, it } from "vitest";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { BlobEntry } from "../../blobs/blob-store.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { forgetSuperseded, previousKeptMs } from "./image-archives.ts";

const uid = "11111111-1111-1111-1111-111111111111";
const clock = new FakeClock("2026-05-04T12:00:00.000Z");
const ago = (ms: number): string => new Date(clock.now().getTime() - ms).toISOString();

/** Which archives are left; `stored` has the age of each in milliseconds. */
async function left(
  status: Pick<NonNullable<PrebuiltImage["status"]>, "image" | "previous" | "sandbox">,
  stored: Record<string, number>,
): Promise<string[]> {
  const names = new Map(Object.entries(stored));
  const blobs = {
    async *list(): AsyncGenerator<BlobEntry> {
      for (const [name, age] of [...names]) {
        const modifiedAt = new Date(clock.now().getTime() - age);
        yield await Promise.resolve({ key: `${uid}/snapshots/${name}/workspace.tar.zst`, size: 1, modifiedAt });
      }
    },
    delete: () => Promise.reject(new Error("archives go as a whole")),
    deleteAll(prefix: string): Promise<void> {
      names.delete(prefix.slice(`${uid}/snapshots/`.length, -1));
      return Promise.resolve();
    },
  };
  const image = { metadata: { uid }, spec: {}, status } as unknown as PrebuiltImage;
  await forgetSuperseded({ blobs, clock }, image);
  return [...names.keys()];
}

const old = 7_200_000;
const over = (attempt: number) => ({ attempt, podName: "p", createTime: ago(old), endTime: ago(old) });
const image = { build: 3, archive: "c" } as NonNullable<PrebuiltImage["status"]>["image"];
const all = { "1/a": old, "2/b": old, "3/c": old };

it.each([
  { name: "an instant before its hour", ageMs: previousKeptMs - 1, want: ["2/b", "3/c"] },
  { name: "at its hour", ageMs: previousKeptMs, want: ["3/c"] },
  { name: "an instant after its hour", ageMs: previousKeptMs + 1, want: ["3/c"] },
])("keeps the image and, for an hour, the one before it: $name", async ({ ageMs, want }) => {
  const previous = { build: 2, archive: "b", supersededTime: ago(ageMs) };
  expect(await left({ image, previous, sandbox: over(3) }, all)).toEqual(want);
});

it("keeps what a build that goes on, or one that the cache does not show yet, has stored", async () => {
  const going = { ...over(4), endTime: undefined };
  expect(await left({ image, sandbox: going }, { "3/c": old, "4/d": old })).toEqual(["3/c", "4/d"]);
  expect(await left({ image, sandbox: over(3) }, { "3/c": old, "4/d": old })).toEqual(["3/c", "4/d"]);
});

it.each([
  { ageMs: 299_999, want: ["3/c", "4/d"] },
  { ageMs: 300_000, want: ["3/c"] },
])("deletes what a failed build stored once it is five minutes old: $ageMs ms", async ({ ageMs, want }) => {
  expect(await left({ image, sandbox: over(4) }, { "3/c": old, "4/d": ageMs })).toEqual(want);
});
