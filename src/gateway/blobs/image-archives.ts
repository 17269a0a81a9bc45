import { archivePrefix, parseArchiveKey, type SavedArchive, snapshotsOf } from "../../api/v1alpha1/names.ts";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Clock } from "../../lib/clock.ts";

/** How long an image is kept after another has replaced it, in milliseconds: sandboxes that were given it may still restore it. */
export const previousKeptMs = 3_600_000;

/** Archives of a build that is over and did not become an image are kept for as long, in milliseconds. */
const youngMs = 300_000;

interface Deps {
  blobs: Pick<BlobStore, "list" | "delete" | "deleteAll">;
  clock: Pick<Clock, "now">;
}

/** Deletes what an image's builds have stored, but for the current image and, for an hour, the one before it. */
export async function forgetSuperseded({ blobs, clock }: Deps, { metadata, status }: PrebuiltImage): Promise<void> {
  const { uid = "" } = metadata;
  const nowMs = clock.now().getTime();
  const kept = keptArchives(status, nowMs).map((one) => archivePrefix(uid, one));
  for await (const { key, modifiedAt } of blobs.list(snapshotsOf(uid))) {
    const found = parseArchiveKey(key);
    const prefix = archivePrefix(uid, found);
    const isOld = nowMs - modifiedAt.getTime() >= youngMs;
    if (isPast(status, found.attempt) && isOld && !kept.includes(prefix)) await blobs.deleteAll(prefix);
  }
}

/** What is newer than the status here may be named by one that was not seen yet. */
function isPast(status: PrebuiltImage["status"], build: number): boolean {
  const { attempt = 0, endTime } = status?.sandbox ?? {};
  return build < attempt || (build === attempt && endTime !== undefined);
}

function keptArchives(status: PrebuiltImage["status"], nowMs: number): SavedArchive[] {
  const { image, previous } = status ?? {};
  const isRecent = previous && nowMs - Date.parse(previous.supersededTime) < previousKeptMs;
  return [image, isRecent ? previous : undefined].flatMap((one) =>
    one ? [{ attempt: one.build, archive: one.archive }] : [],
  );
}
