import type { PromptImage } from "../../../api/v1alpha1/prompt-image.ts";
import type { BlobStore, StoredBlob } from "../../../blobs/blob-store.ts";
import { ApiError } from "../../http/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { NoRoomError } from "../../blobs/blob-budgets.ts";
import type { BlobUsage } from "../../blobs/blob-usage.ts";
import { notePlace, type SessionPlace } from "../../blobs/blob-places.ts";
import { digestOf, type ImageIdentity, imageName } from "../../../domain/images/image-key.ts";
import { mediaTypeOf } from "../../../domain/images/media-type.ts";
import { imagesToRelease, isRecent, mostImages, type StoredImage } from "./room-for-images.ts";

interface Deps {
  blobs: Pick<BlobStore, "put" | "get" | "list" | "delete">;
  usage: Pick<BlobUsage, "put" | "freed">;
  clock: Pick<Clock, "now">;
}

const tooManyImages = `a session keeps at most ${mostImages} images, and each of them is named by an unfinished prompt or was uploaded within the last hour; try again when a prompt has ended`;

/** An upload of an image to a session. */
export interface ImageUpload {
  session: SessionPlace;
  content: Uint8Array;
  /** The images that the session's unfinished prompts name; asked where older images have to make room. */
  inUse: () => Promise<readonly ImageIdentity[]>;
  signal: AbortSignal;
}

/**
 * Images of sessions in the blob store, below `<session UID>/images/`. Digest and type in a name were determined from the
 * content.
 */
export class SessionImages {
  readonly #blobs: Deps["blobs"];
  readonly #usage: Deps["usage"];
  readonly #clock: Deps["clock"];

  constructor({ blobs, usage, clock }: Deps) {
    this.#blobs = blobs;
    this.#usage = usage;
    this.#clock = clock;
  }

  /** Stores an image, and deletes older ones that are no longer needed where the session has too many. @throws ApiError */
  async store({ session, content, inUse, signal }: ImageUpload): Promise<ImageIdentity> {
    const mediaType = mediaTypeOf(content);
    if (!mediaType)
      throw new ApiError("NotAnImage", "the content is no PNG, JPEG, WebP or GIF image, whatever its name says");
    const image = { digest: await digestOf(content), mediaType };
    const key = keyOf(session.sessionUid, image);
    const stored = await this.#stored(session.sessionUid, signal);
    const known = stored.find((one) => one.key === key);
    if (known && isRecent(known.modifiedAt, this.#clock.now())) return image;
    if (!known) await this.#makeRoom(session, stored, inUse);
    await notePlace(this.#blobs, session, signal);
    if (known) await this.#blobs.put(key, content, { signal });
    else await this.#usage.put(session, key, content, { signal }).catch(refuse);
    return image;
  }

  /** The images that the session does not have. */
  async missing(sessionUid: string, images: readonly PromptImage[], signal: AbortSignal): Promise<PromptImage[]> {
    if (images.length === 0) return [];
    const stored = new Set((await this.#stored(sessionUid, signal)).map(({ key }) => key));
    return images.filter((image) => !stored.has(keyOf(sessionUid, image)));
  }

  /** The content must be read to the end or destroyed; undefined when the session has no such image. */
  read(sessionUid: string, image: ImageIdentity): Promise<StoredBlob | undefined> {
    return this.#blobs.get(keyOf(sessionUid, image));
  }

  async #makeRoom(place: SessionPlace, stored: readonly StoredImage[], inUse: ImageUpload["inUse"]): Promise<void> {
    if (stored.length < mostImages) return;
    const used = new Set((await inUse()).map((image) => keyOf(place.sessionUid, image)));
    const released = imagesToRelease(stored, (key) => used.has(key), this.#clock.now());
    if (!released) throw new ApiError("TooManyImages", tooManyImages);
    for (const { key, size } of released) {
      await this.#blobs.delete(key);
      this.#usage.freed(place, size);
    }
  }

  async #stored(sessionUid: string, signal: AbortSignal): Promise<StoredImage[]> {
    const stored: StoredImage[] = [];
    for await (const entry of this.#blobs.list(imagesPrefix(sessionUid), { signal })) stored.push(entry);
    return stored;
  }
}

/** @throws ApiError where there is no room */
function refuse(error: unknown): never {
  if (error instanceof NoRoomError) throw new ApiError("NoRoom", error.message);
  throw error;
}

function imagesPrefix(sessionUid: string): string {
  return `${sessionUid}/images/`;
}

function keyOf(sessionUid: string, image: ImageIdentity): string {
  return imagesPrefix(sessionUid) + imageName(image);
}
