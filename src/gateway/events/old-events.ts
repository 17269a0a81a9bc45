import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { listSegments } from "./segments.ts";

/** Deletes what happened in checks and builds that the status no longer lists, so that there is room for those to come. */
export async function forgetOldEvents(
  { blobs }: { blobs: Pick<BlobStore, "list" | "delete"> },
  { metadata, status }: PrebuiltImage,
): Promise<void> {
  const { attempt = 0 } = status?.sandbox ?? {};
  const kept = new Set(status?.builds?.map(({ number }) => number));
  for await (const segment of listSegments(blobs, metadata.uid ?? "")) {
    if (segment.attempt < attempt && !kept.has(segment.attempt)) await blobs.delete(segment.key);
  }
}
