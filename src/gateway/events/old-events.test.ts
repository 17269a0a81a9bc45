import { expect, it } from "vitest";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { BlobEntry } from "../../blobs/blob-store.ts";
import { forgetOldEvents } from "./old-events.ts";
import { segmentKey } from "./segments.ts";

const uid = "11111111-1111-1111-1111-111111111111";

it("keeps what happened in the builds that the status lists and in the latest one, and deletes the rest", async () => {
  const keyOf = (attempt: number): string => segmentKey(uid, { attempt, seq: 1 }, "w");
  const stored = new Set([1, 2, 3, 4, 5, 6].map(keyOf));
  const blobs = {
    async *list(): AsyncGenerator<BlobEntry> {
      for (const key of [...stored]) yield await Promise.resolve({ key, size: 1, modifiedAt: new Date(0) });
    },
    delete: (key: string) => Promise.resolve(void stored.delete(key)),
  };
  // Build 6 is not in the cache yet.
  const status = { builds: [{ number: 4 }, { number: 2 }], sandbox: { attempt: 5 } };
  await forgetOldEvents({ blobs }, { metadata: { uid }, spec: {}, status } as unknown as PrebuiltImage);
  expect([...stored]).toEqual([2, 4, 5, 6].map(keyOf));
});
