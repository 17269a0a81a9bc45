import { mediaLimits } from "../../../api/v1alpha1/prompt-media.ts";
import type { BlobEntry, BlobStore, StoredBlob } from "../../../blobs/blob-store.ts";
import { digestOf } from "../../../domain/images/image-key.ts";
import { attachedTypeOf } from "../../../domain/media/media-type.ts";
import { type MediaIdentity, mediaName } from "../../../domain/media/media-name.ts";
import type { Clock } from "../../../lib/clock.ts";
import { SandboxError } from "../../attempts/sandbox-error.ts";
import { notePlace, type SessionPlace } from "../../blobs/blob-places.ts";
import type { BlobUsage } from "../../blobs/blob-usage.ts";

interface Deps {
  blobs: Pick<BlobStore, "put" | "get" | "list" | "delete">;
  usage: Pick<BlobUsage, "put" | "freed">;
  clock: Pick<Clock, "now">;
}

/** How long files are kept once a later prompt of the session stores one, in milliseconds; answers are posted within an hour. */
export const keptMediaMs = 7 * 86_400_000;

/** Files that agents attach to answers, in the blob store below `<session UID>/media/<prompt UID>/`. */
export class SessionMedia {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Stores a file of a prompt, as many and as large as one answer takes, and deletes those of the session that are over a week
   * old. The type is that of the content. @throws SandboxError, NoRoomError
   */
  async store(
    place: SessionPlace,
    { promptUid, content }: { promptUid: string; content: Uint8Array },
    signal: AbortSignal,
  ): Promise<MediaIdentity> {
    const mediaType = attachedTypeOf(content);
    if (!mediaType) throw new SandboxError(422, "NotMedia", "the content is no PNG, JPEG, WebP, GIF or MP4");
    const file = { digest: await digestOf(content), mediaType };
    const prefix = prefixOf(place.sessionUid, promptUid);
    const key = prefix + mediaName(file);
    const all = await this.#stored(place.sessionUid, signal);
    const ofPrompt = all.filter((one) => one.key.startsWith(prefix));
    if (ofPrompt.some((one) => one.key === key)) return file;
    if (!fits(ofPrompt, content)) throw new SandboxError(422, "LeftOut", "the answer has as many files as it takes");
    await this.#forget(place, all);
    await notePlace(this.#deps.blobs, place, signal);
    await this.#deps.usage.put(place, key, content, { maxBytes: mediaLimits.bytes, signal });
    return file;
  }

  /** The content must be read to the end or destroyed; undefined when the prompt has no such file. */
  read(
    { sessionUid, promptUid, file }: { sessionUid: string; promptUid: string; file: MediaIdentity },
    signal?: AbortSignal,
  ): Promise<StoredBlob | undefined> {
    return this.#deps.blobs.get(prefixOf(sessionUid, promptUid) + mediaName(file), signal);
  }

  async #stored(sessionUid: string, signal: AbortSignal): Promise<BlobEntry[]> {
    const stored: BlobEntry[] = [];
    for await (const entry of this.#deps.blobs.list(`${sessionUid}/media/`, { signal })) stored.push(entry);
    return stored;
  }

  async #forget(place: SessionPlace, stored: readonly BlobEntry[]): Promise<void> {
    const nowMs = this.#deps.clock.now().getTime();
    for (const { key, size, modifiedAt } of stored) {
      if (nowMs - modifiedAt.getTime() < keptMediaMs) continue;
      await this.#deps.blobs.delete(key);
      this.#deps.usage.freed(place, size);
    }
  }
}

function fits(stored: readonly BlobEntry[], { length }: Uint8Array): boolean {
  const bytes = stored.reduce((sum, { size }) => sum + size, 0);
  return stored.length < mediaLimits.perPrompt && length <= mediaLimits.bytes && bytes + length <= mediaLimits.allBytes;
}

function prefixOf(sessionUid: string, promptUid: string): string {
  return `${sessionUid}/media/${promptUid}/`;
}
