import type { BlobEntry } from "../../../blobs/blob-store.ts";

/** Images that a session keeps: 6 for each of 50 unfinished prompts. */
export const mostImages = 300;
/** How long an image is kept for a prompt that names it, after it was uploaded, in milliseconds. */
export const keptForPromptMs = 3_600_000;

export type StoredImage = Pick<BlobEntry, "key" | "modifiedAt" | "size">;

/**
 * The images to delete before a further one is stored, the oldest first: those that no unfinished prompt names and that
 * were not uploaded within the last hour. Undefined where they do not make room.
 */
export function imagesToRelease(
  stored: readonly StoredImage[],
  isInUse: (key: string) => boolean,
  now: Date,
): StoredImage[] | undefined {
  const surplus = stored.length + 1 - mostImages;
  const free = stored
    .filter(({ key, modifiedAt }) => !isRecent(modifiedAt, now) && !isInUse(key))
    .sort((one, other) => one.modifiedAt.getTime() - other.modifiedAt.getTime());
  return free.length < surplus ? undefined : free.slice(0, Math.max(surplus, 0));
}

/** Whether an image is kept for a prompt that may still name it. */
export function isRecent(modifiedAt: Date, now: Date): boolean {
  return now.getTime() - modifiedAt.getTime() < keptForPromptMs;
}
